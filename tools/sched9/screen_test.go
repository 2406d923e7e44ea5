package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/image/font/basicfont"
)

// desk is a PC in QEMU as a person has it, with a screen, without what the host tool adds: the output is there alone, and nobody
// learns the status.
type desk struct {
	t    *testing.T
	ask  *json.Encoder // to QEMU's monitor (QMP)
	told *json.Decoder // its answers and events
	file string        // where the monitor puts what it is asked for
}

// bootPlain starts QEMU with the arguments that say what it boots.
func bootPlain(t *testing.T, args ...string) *desk {
	file := filepath.Join(t.TempDir(), "screen")
	cmd := exec.Command("qemu-system-x86_64", append([]string{
		"-nodefaults", "-display", "none", "-vga", "std", "-qmp", "stdio", "-m", "256M", "-accel", "tcg", "-no-reboot"}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(showLimit, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		limit.Stop()
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("QEMU says %s", &said)
		}
	})
	p := &desk{t, json.NewEncoder(in), json.NewDecoder(out), file}
	p.run("qmp_capabilities", nil)
	return p
}

// run has the monitor carry out a command, and waits until it has.
func (p *desk) run(name string, arguments map[string]any) {
	p.t.Helper()
	type command struct {
		Execute   string         `json:"execute"`
		Arguments map[string]any `json:"arguments,omitempty"`
	}
	err := p.ask.Encode(command{name, arguments})
	for err == nil {
		var answer struct{ Return, Error json.RawMessage }
		if err = p.told.Decode(&answer); answer.Error != nil {
			p.t.Fatalf("%s: %s", name, answer.Error)
		}
		if answer.Return != nil {
			return
		}
	}
	p.t.Fatalf("%s: QEMU has ended, or was ended after %v: %v", name, showLimit, err)
}

// save is what a command of the monitor writes to a file.
func (p *desk) save(name string, arguments map[string]any) []byte {
	p.t.Helper()
	p.run(name, arguments)
	data, err := os.ReadFile(p.file)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// showLimit is how long a machine has on the host to show something: it boots firmware, GRUB and the image.
const showLimit = 3 * time.Minute

// wait looks at the screen until it holds text, and returns its rows. QEMU tells nobody that a screen has changed.
func (p *desk) wait(look func() []string, text string) []string {
	p.t.Helper()
	var rows []string
	for end := time.Now().Add(showLimit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if rows = look(); strings.Contains(strings.Join(rows, "\n"), text) {
			return rows
		}
	}
	p.t.Fatalf("%q is not on the screen:\n%s", text, strings.Join(rows, "\n"))
	return nil
}

// text are the rows of VGA's text mode: characters and colours.
func (p *desk) text() (rows []string) {
	const width, height = 80, 25
	data := p.save("pmemsave", map[string]any{"val": 0xb8000, "size": 2 * width * height, "filename": p.file})
	for len(data) >= 2*width {
		row := make([]byte, width)
		for i := range row {
			row[i] = data[2*i]
		}
		rows, data = append(rows, strings.TrimRight(string(row), " \x00")), data[2*width:]
	}
	return rows
}

// picture reads the rows of text on a framebuffer by the font. A cell that is no character of it is a "~" with a
// mark, which no test expects.
func (p *desk) picture() (rows []string) {
	var width, height, depth int
	data := p.save("screendump", map[string]any{"filename": p.file})
	if n, _ := fmt.Sscanf(string(data[:min(len(data), 20)]), "P6\n%d %d\n%d", &width, &height, &depth); n != 3 || len(data) < 3*width*height {
		return nil
	}
	pixels := data[len(data)-3*width*height:]
	face := basicfont.Face7x13
	known := map[string]rune{}
	for c := ' '; c <= '~'; c++ {
		key := make([]byte, 0, face.Height*face.Width)
		for y := range face.Height {
			for x := range face.Width {
				key = append(key, color.GrayModel.Convert(face.Mask.At(x, int(c-' ')*face.Height+y)).(color.Gray).Y)
			}
		}
		known[string(key)] = c
	}
	for top := 0; top+face.Height <= height; top += face.Height {
		var row []rune
		for left := 0; left+face.Advance <= width; left += face.Advance {
			key := make([]byte, 0, face.Height*face.Width)
			for y := range face.Height {
				for x := range face.Width {
					key = append(key, pixels[3*((top+y)*width+left+x)])
				}
			}
			c, ok := known[string(key)]
			if !ok {
				c = '\ufffd'
			}
			row = append(row, c)
		}
		rows = append(rows, strings.TrimRight(string(row), " "))
	}
	return rows
}

// follows makes sure that the last of the lines that the program prints stand on the screen, in order.
func follows(t *testing.T, rows []string) {
	all := strings.Join(rows, "\n")
	if !strings.Contains(all, "shown: line 198\nshown: line 199\nshown:  to standard error, ?\n") {
		t.Errorf("the screen shows\n%s", all)
	}
}

// TestScreenText: a PC that nobody reads shows in VGA's text mode what the program prints, and how it ended, and stays on.
func TestScreenText(t *testing.T) {
	img := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", img, "./testdata/shown"); status != 0 {
		t.Fatal(stderr)
	}
	p := bootPlain(t, "-machine", "pc", "-smp", "2", "-kernel", img)
	follows(t, p.wait(p.text, "sched9: the run has ended with status 3; the machine can be turned off"))
}

// TestScreenFramebuffer: the same on the framebuffer that GRUB leaves, or UEFI. What a fault shows stays there.
func TestScreenFramebuffer(t *testing.T) {
	const ovmf = "/usr/share/ovmf/OVMF.fd"
	disc := filepath.Join(t.TempDir(), "disc")
	type way struct {
		name, format string
		args         []string
	}
	ways := []way{{"grub", "iso", []string{"-cdrom", disc + "iso"}}}
	if full {
		ways = append(ways,
			way{"uefi", "iso", []string{"-cdrom", disc + "iso", "-bios", ovmf}},
			way{"efi", "usb", []string{"-hda", disc + "usb", "-snapshot", "-bios", ovmf}})
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			if _, stderr, status := sched9(t, "build", "-format", way.format, "-o", disc+way.format, "./testdata/shown"); status != 0 {
				t.Fatal(stderr)
			}
			t.Parallel()
			p := bootPlain(t, append(way.args, "-machine", "q35", "-smp", "2")...)
			follows(t, p.wait(p.picture, "sched9: the run has ended with status 3; the machine can be turned off"))
		})
	}
}

// TestScreenFault: a kernel fault's own account is on the screen at the end, though what follows it fills more than one.
func TestScreenFault(t *testing.T) {
	img := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", img, "../../scenarios/foreign"); status != 0 {
		t.Fatal(stderr)
	}
	p := bootPlain(t, "-machine", "pc", "-smp", "4", "-kernel", img, "-append", "-- foreign deeper")
	rows := p.wait(p.text, "sched9: the run has ended with status 126; the machine can be turned off")
	if all := strings.Join(rows, "\n"); !strings.Contains(all, "sched9: kernel fault on processor ") {
		t.Errorf("the screen shows\n%s", all)
	}
}

// TestScreenCode: a camera can read from a framebuffer what fault it was and who called.
func TestScreenCode(t *testing.T) {
	t.Parallel()
	disc := filepath.Join(t.TempDir(), "disc")
	if _, stderr, status := sched9(t, "build", "-format", "iso", "-o", disc, "./testdata/faulty"); status != 0 {
		t.Fatal(stderr)
	}
	p := bootPlain(t, "-machine", "q35", "-smp", "2", "-cdrom", disc)
	var got string
	p.wait(func() []string {
		data := p.save("screendump", map[string]any{"filename": p.file})
		picture, err := ppm(data)
		if err != nil {
			return []string{err.Error()}
		}
		got, err = code(picture)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{got}
	}, "sched9: ")
	if !strings.Contains(got, "kernel fault on processor ") || !strings.Contains(got, "main.deeper") {
		t.Errorf("the code is of the text\n%s", got)
	}
}

// ppm reads a picture as QEMU saves it.
func ppm(data []byte) (image.Image, error) {
	var width, height, depth int
	if n, _ := fmt.Sscanf(string(data[:min(len(data), 20)]), "P6\n%d %d\n%d", &width, &height, &depth); n != 3 || len(data) < 3*width*height {
		return nil, errors.New("not a picture")
	}
	pixels := data[len(data)-3*width*height:]
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = pixels[3*i]
	}
	return m, nil
}

// code finds a QR code in a picture.
func code(m image.Image) (string, error) {
	b, err := gozxing.NewBinaryBitmapFromImage(m)
	if err != nil {
		return "", err
	}
	r, err := qrcode.NewQRCodeReader().DecodeWithoutHints(b)
	if err != nil {
		return "", err
	}
	return r.GetText(), nil
}

// TestMoreProcessors: of more processors than there can be Ms, 64 are used, with a word.
func TestMoreProcessors(t *testing.T) {
	img := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-o", img, "../../scenarios/hello"); status != 0 {
		t.Fatal(stderr)
	}
	p := bootPlain(t, "-machine", "pc", "-smp", "65", "-kernel", img)
	all := strings.Join(p.wait(p.text, "sched9: the run has ended with status 0"), "\n")
	for _, want := range []string{"sched9: this machine has 65 processors, 64 are used", "hello: cpus=64 gomaxprocs=64"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

package bench

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// printed is what the program prints, between lines of a kernel's.
const printed = "Booting\r\n" +
	`bench: {"op":"start","system":"Linux","go":"go1.26.8","cpus":4,"clock":"tsc","total":100,"free":40}` + "\r\n" +
	`bench: {"op":"loop","unit":"ns/op","cpus":4,"procs":1,"n":10,"samples":[4,5,3]}` + "\r\n" +
	"[    1.0] noise\n" +
	`bench: {"op":"late","unit":"ns","cpus":4,"procs":4,"n":7,"samples":[1000000]}` + "\n" +
	`bench: {"op":"end"}` + "\n"

func TestParse(t *testing.T) {
	out, err := Parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	if out.Start.System != "Linux" || out.Start.Total != 100 || out.Start.Free != 40 || out.Start.Clock != "tsc" {
		t.Errorf("start: %+v", out.Start)
	}
	if len(out.Results) != 2 || out.Results[0].Op != "loop" || !slices.Equal(out.Results[0].Samples, []float64{4, 5, 3}) || out.Results[1].N != 7 {
		t.Errorf("results: %+v", out.Results)
	}
}

func TestParseRefuses(t *testing.T) {
	lines := strings.SplitAfter(printed, "\n")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "printed no results"},
		{"only a kernel", lines[0], "printed no results"},
		{"no end", strings.Join(lines[:5], ""), "did not come to its end"},
		{"no start", strings.Join(lines[2:], ""), "before the first"},
		{"reset", printed[:len(printed)-len(lines[5])] + printed, "started twice"},
		{"goes on", printed + lines[2], "after its end"},
		{"cut", strings.Join(lines[:2], "") + `bench: {"op":"loop","uni`, "not understood"},
		{"no samples", strings.Join(lines[:2], "") + `bench: {"op":"loop","unit":"ns","samples":[]}`, "no samples"},
		{"no unit", strings.Join(lines[:2], "") + `bench: {"op":"loop","samples":[1]}`, "without a name or a unit"},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSpread(t *testing.T) {
	values := []float64{3, 1, 2}
	if s := spread(values); s != (Spread{2, 1, 3}) || values[0] != 3 {
		t.Errorf("%v of %v", s, values)
	}
	if s := spread([]float64{4, 1, 2, 10}); s != (Spread{3, 1, 10}) {
		t.Error(s)
	}
	if s := spread(nil); s.known() || !math.IsNaN(s.Least) {
		t.Error(s)
	}
	// Pair by pair: 1/2, 4/1; the third has no pair, the one by zero is none.
	if r := ratios([]float64{1, 4, 9}, []float64{2, 1}); !slices.Equal(r, []float64{0.5, 4}) {
		t.Error(r)
	}
	if r := ratios([]float64{1, 4}, []float64{0, 2}); !slices.Equal(r, []float64{2}) {
		t.Error(r)
	}
}

// some is a report with all kinds of rows.
func some(t *testing.T) *Report {
	t.Helper()
	out, err := Parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{When: "2026-01-02T03:04:05Z", Arch: "amd64", QEMU: "7.2", Go: "go1.26", Linux: "6.1<b>"}
	r.AddOutput(ICount, 1, "", false, out)
	r.AddOutput(ICount, 1, "", true, out)
	r.AddOutput(ICount, 1, ", slice 10us", false, out)
	r.Add(ICount, 1, "gosched-2", "instructions", false, 1234)
	r.Add(ICount, 1, "sleep-late", "ns", false, 2500)
	for i, v := range []float64{2000, 1000, 3000} {
		r.Add(TCG, 4, "mutex", "ns", false, v)
		r.Add(TCG, 4, "mutex", "ns", true, float64(1000*(i+1)))
	}
	r.Add(TCG, 4, "ring-503", "ns", true, 5)
	r.Add(TCG, 1, "memory-at-main", "bytes", false, 1<<20)
	r.Add(Build, 0, "image of hello", "bytes", false, 3<<20)
	return r
}

func TestReport(t *testing.T) {
	r := some(t)
	row := r.Rows[r.find(ICount, 1, "loop")]
	if row.Unit != "instructions" || !slices.Equal(row.Ours, []float64{4}) || !slices.Equal(row.Peers, []float64{4}) {
		t.Errorf("%+v", row)
	}
	if row := r.Rows[r.find(ICount, 1, "late, slice 10us")]; row.Unit != "ns" || len(row.Peers) != 0 {
		t.Errorf("%+v", row)
	}
	if got := r.Rows[r.find(TCG, 4, "mutex")].Ratio(); got != (Spread{1, 0.5, 2}) {
		t.Error(got)
	}
	if r.find(TCG, 2, "mutex") != -1 {
		t.Error("a row that is not there was found")
	}
}

// TestMet: goals in figures and in ratios, reached and not, and those that nothing can be said of.
func TestMet(t *testing.T) {
	r := some(t)
	for _, c := range []struct {
		mode       string
		cpus       int
		op         string
		met, known bool
	}{
		{ICount, 1, "gosched-2", false, true},
		{ICount, 1, "sleep-late", true, true},
		{ICount, 1, "loop", false, false},
		{TCG, 4, "mutex", true, true},      // as fast is not slower
		{TCG, 4, "ring-503", false, false}, // only Linux did it
		{TCG, 1, "memory-at-main", true, true},
		{Build, 0, "image of hello", false, true},
	} {
		met, known := r.Rows[r.find(c.mode, c.cpus, c.op)].Met()
		if met != c.met || known != c.known {
			t.Errorf("%s %s: met %v, known %v", c.mode, c.op, met, known)
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{3, "ns", "3 ns"}, {2.345, "ns", "2.35 ns"}, {1234, "ns", "1.23 us"}, {58_200, "ns", "58.2 us"}, {104e3, "ns", "104 us"},
		{20.1e6, "ns", "20.1 ms"}, {5.3e9, "ns", "5.30 s"}, {7e12, "ns", "7000 s"}, {2 << 20, "bytes", "2.00 MiB"}, {100, "bytes", "100 B"}, {17.04, "percent", "17.0 %"},
		{4, "instructions", "4.00"}, {913, "instructions", "913"}, {1880, "instructions", "1,880"}, {128_000, "instructions", "128,000"},
		{42_026_819, "goroutines", "42,026,819"}, {math.NaN(), "ns", "-"}, {-1880, "instructions", "-1,880"}, {-188, "instructions", "-188"},
	} {
		if got := quantity(c.v, c.unit); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := some(t).Table(&out); err != nil {
		t.Fatal(err)
	}
	squeezed := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Linux 6.1<b> Instructions counted, 1 vCPU operation",
		"gosched-2 1,234 - 300 missed",
		"sleep-late 2.50 us - 2.50 us ok",
		"late, slice 10us 1.00 ms -",
		"Time, 4 vCPUs in threads of their own operation",
		"mutex 2.00 us 2.00 us 1.00 0.50 to 2.00 ratio 1.00 ok",
		"ring-503 - 5 ns ratio 1.00",
		"Size operation",
		"gosched-2 misses its goal: 1,234, not 300 (4.11 times as much; Instructions counted, 1 vCPU) image of hello misses its goal: 3.00 MiB,",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := some(t).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if want := "\n| mutex |  |  | 1.00 (0.50 to 2.00) | ok |\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// TestPage: it holds every row, text is text, and nothing is fetched from anywhere.
func TestPage(t *testing.T) {
	page, err := some(t).Page()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{"gosched-2", ">1,234<", `class="missed"`, `class="ok"`, "6.1&lt;b&gt;", "Time, 4 vCPUs", "2026-01-02"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"http:", "https:", "<script", "NaN", "Inf", "ZgotmplZ", "url("} {
		if strings.Contains(text, bad) {
			t.Errorf("there is %q", bad)
		}
	}
	if n, m := strings.Count(text, `class="dot"`), 6; n != m {
		t.Errorf("%d dots, want %d: one for each boot of a row with several", n, m)
	}
}

// TestLine: bars of one row have one scale, and the goal lies where it belongs.
func TestLine(t *testing.T) {
	l := Row{Mode: TCG, CPUs: 4, Op: "x", Unit: "ns", Ours: []float64{50}, Peers: []float64{100}}.line()
	if len(l.Bars) != 2 || l.Bars[0].Width != wide/2 || l.Bars[1].Width != wide || l.GoalAt != wide {
		t.Errorf("%+v", l)
	}
	l = Row{Mode: ICount, CPUs: 1, Op: "gosched-2", Unit: "instructions", Ours: []float64{200}}.line()
	if len(l.Bars) != 1 || l.Bars[0].Width != wide || l.GoalAt != 0 {
		t.Errorf("a goal beyond the plot: %+v", l)
	}
	for _, r := range []Row{{}, {Ours: []float64{0}}, {Ours: []float64{-1}}} {
		if l := r.line(); len(l.Bars) != 0 {
			t.Errorf("%+v has bars", r)
		}
	}
}

func TestFile(t *testing.T) {
	r := some(t)
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(back.Rows) != len(r.Rows) || back.When != r.When || !slices.Equal(back.Rows[0].Ours, r.Rows[0].Ours) {
		t.Errorf("%+v", back)
	}
	for _, c := range []struct{ text, want string }{
		{"", "holds no results"}, {"[]", "holds no results"}, {"{}", "understands"}, {`{"format":2,"rows":[{}]}`, "understands"},
		{`{"format":1}`, "understands"}, {string(data[:len(data)/2]), "holds no results"},
	} {
		if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v", c.text, err)
		}
	}
	if _, err := ReadFile(name + "x"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestCompare(t *testing.T) {
	before, after := some(t), some(t)
	at := func(r *Report, mode string, cpus int, op string) *Row { return &r.Rows[r.find(mode, cpus, op)] }
	compare := func() string {
		var out bytes.Buffer
		if err := Compare(&out, *before, *after); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	if got := compare(); got != "Compared with 2026-01-02T03:04:05Z nothing is different beyond what figures vary by" {
		t.Errorf("%q", got)
	}
	at(after, ICount, 1, "gosched-2").Ours[0] = 617
	at(after, ICount, 1, "loop").Ours[0] *= 1.0005       // within what counts vary by
	at(after, TCG, 4, "mutex").Ours = []float64{2900}    // within the spread
	after.Add(TCG, 4, "new", "ns", false, 1)             // nothing to compare with
	at(after, TCG, 1, "memory-at-main").Ours[0] *= 1.002 // sizes do not vary
	got := compare()
	for _, want := range []string{"gosched-2 1 icount 1,234 617 -50.0 %", "memory-at-main 1 tcg 1.00 MiB 1.00 MiB +0.2 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if strings.Contains(got, "mutex") || strings.Contains(got, "loop") || strings.Contains(got, "new") || strings.Contains(got, "another way") {
		t.Errorf("%q", got)
	}
	at(after, TCG, 4, "mutex").Ours = []float64{4000, 5000}
	after.Quick = true
	if got := compare(); !strings.Contains(got, "mutex 4 tcg 2.00 us 4.50 us +125.0 %") || !strings.Contains(got, "another way") {
		t.Errorf("%q", got)
	}
}

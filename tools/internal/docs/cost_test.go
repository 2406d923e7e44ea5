package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCost: in docs/cost.md the columns of each table with a sum make that sum, but for what rounding takes, and the functions that a step
// is in are in the image's sources or the toolchain's runtime.
func TestCost(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)\(|^TEXT (?:.*·)?(\w+)[<(]`)
	known := map[string]bool{}
	for _, dir := range []string{root + "/sched", root + "/record", root + "/arch", root + "/kernel", root + "/kernel/goruntime/runtime", filepath.Join(strings.TrimSpace(string(out)), "src/runtime")} {
		for _, ext := range []string{"go", "s"} {
			names, err := filepath.Glob(filepath.Join(dir, "*."+ext))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range begins.FindAllSubmatch(data, -1) {
					known[string(m[1])+string(m[2])] = true
				}
			}
		}
	}
	const steps = 30
	word := regexp.MustCompile(`[A-Za-z0-9]\w+`)
	var sums []float64
	tables, rows := 0, 0
	for line := range strings.Lines(text(t, "docs/cost.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) < 3 {
			sums = nil
			continue
		}
		if sums == nil {
			sums = make([]float64, len(cells))
		}
		for i, c := range cells[2:] {
			n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(c), ",", ""), 64)
			if err != nil {
				continue // a head, or a step that is not in this column
			}
			if strings.TrimSpace(cells[0]) != "sum" {
				sums[2+i] += n
				continue
			}
			if i == 0 {
				tables++
			}
			if diff := n - sums[2+i]; diff > 1 || diff < -1 {
				t.Errorf("%q: the steps above make %v", line, sums[2+i])
			}
		}
		if _, err := strconv.Atoi(strings.TrimSpace(cells[2])); err != nil {
			continue
		}
		rows++
		for _, name := range word.FindAllString(cells[1], -1) {
			if !known[name] {
				t.Errorf("%q: no function %s is in the sources of an image", line, name)
			}
		}
	}
	if tables != 3 || rows < steps {
		t.Errorf("%d tables with a sum, %d steps", tables, rows)
	}
}

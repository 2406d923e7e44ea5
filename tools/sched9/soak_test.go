package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSoak soaks a little, and leaves nothing behind.
func TestSoak(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	stdout, stderr, status := sched9(t, "soak", "-C", "../../scenarios", "-run", "^exit/7$", "-boots", "3", "-seed", "1")
	if status != 0 || !strings.Contains(stdout, "3 passed, 0 failed in ") || !strings.HasPrefix(stdout, "soak: 3 boots, -seed 1\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "sched9-soak*")); err != nil || len(left) > 0 {
		t.Errorf("it leaves %q, %v", left, err)
	}
}

// TestSoakFails keeps console and recording of what went wrong, and says how to do it
// again: that fails in the same way.
func TestSoakFails(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/x\n\ngo 1.26\n",
		"s/main.go":     "package main\n\nimport \"os\"\n\nfunc main() { println(\"last words\", os.Getenv(\"SEED\")) }\n",
		"s/expect.toml": "about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '60s'\nexit = 1\nsoak = true\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	keep := filepath.Join(dir, "keep")
	stdout, stderr, status := sched9(t, "soak", "-C", dir, "-run", "r.*", "-keep", keep, "-for", "1ns", "-seed", "7", "-failures", "0")
	if status != statusFailed || !strings.Contains(stdout, "0 passed, 1 failed") || !strings.HasPrefix(stdout, "soak: 1ns, -seed 7\n") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	logs, _ := filepath.Glob(filepath.Join(keep, "s-r-smp=*-SEED=*.txt"))
	recordings, _ := filepath.Glob(filepath.Join(keep, "s-r-smp=*-SEED=*.s9"))
	if len(logs) != 1 || len(recordings) != 1 {
		t.Fatalf("it kept %q and %q", logs, recordings)
	}
	text, err := os.ReadFile(logs[0])
	words := regexp.MustCompile(`last words \d+`).FindString(string(text))
	if err != nil || words == "" || !strings.Contains(stdout, logs[0]) || !strings.Contains(stdout, recordings[0]) {
		t.Fatalf("the console: %v\n%s\n%s", err, text, stdout)
	}
	for _, m := range regexp.MustCompile(`(?m)^ +(?:again|or): sched9 (.*)$`).FindAllStringSubmatch(stdout, -1) {
		t.Run(strings.Fields(m[1])[0], func(t *testing.T) {
			t.Chdir(t.TempDir())
			args, err := exec.Command("sh", "-c", `for i in `+m[1]+`; do echo "$i"; done`).Output()
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, _ := sched9(t, strings.Split(strings.TrimSpace(string(args)), "\n")...)
			if !strings.Contains(stdout+stderr, words) {
				t.Errorf("it says %s%s, not %q", stdout, stderr, words)
			}
		})
	}
}

func TestWords(t *testing.T) {
	in := []string{"plain", "a b", "it's", "", "$HOME", "-x=1,2"}
	line := words(slices.Clone(in)...)
	out, err := exec.Command("sh", "-c", `for i in `+line+`; do echo "$i"; done`).Output()
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); err != nil || !slices.Equal(got, in) {
		t.Errorf("%s became %q, %v", line, got, err)
	}
}

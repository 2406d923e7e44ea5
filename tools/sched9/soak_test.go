package main

import (
	"fmt"
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

// program makes a directory of scenarios with one of that name, whose only run expects the exit
// status.
func program(t *testing.T, name, text string, exit int) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":              "module example.com/x\n\ngo 1.26\n",
		name + "/main.go":     text,
		name + "/expect.toml": fmt.Sprintf("about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\nexit = %d\nsoak = true\nrequire = []\nforbid = []\n", exit),
	} {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSoakRandom boots a random program that behaves as on the host; and finds programs that do
// not, by their machine or their number of Ps.
func TestSoakRandom(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := sched9(t, "soak", "-random", "-C", "../../scenarios", "-boots", "1", "-seed", "3", "-v")
	if status != 0 || !strings.Contains(stdout, "1 passed, 0 failed in ") || !strings.Contains(stdout, "ok   random/") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	const head = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\t"
	for text, want := range map[string]string{
		`fmt.Println("alone:", os.Getpid() == 1)`:                                   "it differs from the host in standard output; there it was status 0",
		`if fmt.Println("same"); os.Getpid() == 1 { os.Exit(3) }`:                   "exit status 3, not 0",
		`if fmt.Println("same"); os.Getpid() == 1 { panic("here") }; panic("host")`: "in what it dies of; there it was status 2, \"panic: host\"",
		`fmt.Println(os.Getenv("GOMAXPROCS"))`:                                      "on the host, it differs from the host in standard output",
	} {
		dir := program(t, "random", head+strings.ReplaceAll(text, "; panic", "\n\tpanic")+"\n}\n", 0)
		stdout, stderr, status := sched9(t, "soak", "-random", "-C", dir, "-keep", t.TempDir(), "-boots", "1", "-seed", "3")
		if status != statusFailed || !strings.Contains(stdout, want) || !strings.Contains(stdout, "again: sched9 soak -seed 3 -first 1 -boots 1 -C "+dir+" -random\n") {
			t.Errorf("%s: status %d\n%s%s", text, status, stdout, stderr)
		}
	}
}

// TestSoakFails keeps console and recording of a failure, and prints how to repeat it: that fails
// in the same way.
func TestSoakFails(t *testing.T) {
	dir := program(t, "s", "package main\n\nimport \"os\"\n\nfunc main() { println(\"last words\", os.Getenv(\"SEED\")) }\n", 1)
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

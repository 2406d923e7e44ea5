//go:build full

package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestHuntSlurm: a job array of Slurm, with a controller and one node here, hunts in shards, and -merge tells of what they found. The job's script is that of
// docs/hunt.md.
func TestHuntSlurm(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	script, err := os.ReadFile("testdata/hunt.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/hunt.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "    " + strings.ReplaceAll(strings.TrimSpace(string(script)), "\n", "\n    ") + "\n"; !strings.Contains(string(page), want) {
		t.Errorf("docs/hunt.md has another script than\n%s", want)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 1024)
	rand.Read(key)
	port := func() string { return strings.TrimPrefix(freePort(t), "127.0.0.1:") }
	conf := fmt.Sprintf(`ClusterName=one
SlurmctldHost=%s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthInfo=socket=%[3]s/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
SlurmctldPort=%[4]s
SlurmdPort=%[5]s
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=%[1]s Default=YES
`, host, me.Username, dir, port(), port())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"key": string(key), "slurm.conf": conf, "hunt.sbatch": string(script)} {
		if err := os.WriteFile(in(name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, in("sched9")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", in("slurm.conf"))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH")+":/usr/sbin")
	t.Setenv(asCommand, "1")
	// It goes into the background when it can be asked.
	munged := func(args ...string) {
		t.Helper()
		if said, err := exec.Command("munged", append(args, "--socket="+in("munge"))...).CombinedOutput(); err != nil {
			t.Fatalf("munged (of Debian's slurm-wlm): %v\n%s", err, said)
		}
	}
	munged("--force", "--key-file="+in("key"), "--pid-file="+in("munge.pid"), "--log-file="+in("munge.log"), "--seed-file="+in("munge.seed"))
	t.Cleanup(func() { munged("--stop") })
	start(t, in("slurmctld.txt"), "Running as primary controller", "slurmctld", "-D")
	start(t, in("slurmd.txt"), "slurmd started on", "slurmd", "-D", "-N", host)
	program, err := filepath.Abs("testdata/huntedtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	said, err := exec.CommandContext(t.Context(), "sbatch", "--wait", "--array=1-2", "hunt.sbatch", "-shrink", "0", "-n", "40", program, "-run", "^TestClose$").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "Submitted batch job") {
		t.Fatalf("a job that finds something ends with %v\n%s", err, said)
	}
	stdout, stderr, status := sched9(t, "hunt", "-merge", "hunt-1.json", "hunt-2.json")
	if want := regexp.MustCompile(`^40 schedules \(\d+ different\): [1-9]\d* failed\npanic: send on closed channel`); status != 1 || !want.MatchString(stdout) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// start starts a daemon for as long as the test lasts, and returns when its log says that it is ready. The log is in a file, and told if the test fails.
func start(t *testing.T, file, ready string, command ...string) {
	t.Helper()
	log, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("%s (of Debian's slurm-wlm) does not start: %v", command[0], err)
	}
	up, ended := make(chan bool, 1), make(chan bool)
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(io.TeeReader(out, log)); lines.Scan(); {
			if strings.Contains(lines.Text(), ready) {
				up <- true
				ready = "\n" // in no line
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		<-ended
		cmd.Wait()
		kill.Stop()
		log.Close()
		if text, err := os.ReadFile(file); t.Failed() && err == nil {
			t.Logf("%s:\n%s", command[0], text[max(len(text)-2000, 0):])
		}
	})
	select {
	case <-up:
	case <-ended:
		t.Fatalf("%s has ended", command[0])
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s is not ready", command[0])
	}
}

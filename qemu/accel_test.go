package qemu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeHost is a prober of a host whose KVM runs the probe to res.
func fakeHost(t *testing.T, res Result) (p prober, boots *int) {
	boots = new(int)
	return prober{
		open:    func() error { return nil },
		version: func() (string, error) { return "7.2.22", nil },
		release: func() (string, error) { return "6.1.0", nil },
		boot: func(context.Context, Config) (Result, error) {
			*boots++
			return res, nil
		},
		cache: filepath.Join(t.TempDir(), "cache"),
	}, boots
}

// probing is a configuration with a probe.
func probing(accel string) Config {
	return Config{Accel: accel, Machine: "q35", Probe: []byte("probe"), ProbeStatus: 33}
}

func TestChoose(t *testing.T) {
	good := Result{Reason: Exited, Status: 33}
	hung := Result{Reason: TimedOut, Status: -1, Err: errors.New("too long")}
	for _, tc := range []struct {
		name  string
		alter func(*prober, *Config)
		res   Result
		auto  string // the choice for "auto"
		kvm   string // for "kvm": the choice or a part of the error
		boots int    // for either
	}{
		{"probe runs", nil, good, "kvm", "kvm", 1},
		{"probe hangs", nil, hung, "tcg", "too long", 1},
		{"probe resets", nil, Result{Reason: Reset, Err: errors.New("triple")}, "tcg", "triple", 1},
		{"other status", nil, Result{Reason: Exited, Status: 35}, "tcg", "status 35, not 33", 1},
		{"killed", nil, Result{Reason: Killed, Err: errors.New("signal")}, "tcg", "killed", 1},
		{"no device", func(p *prober, c *Config) { p.open = func() error { return os.ErrPermission } },
			good, "tcg", "permission", 0},
		{"no probe", func(p *prober, c *Config) { c.Probe = nil }, good, "tcg", "kvm", 0},
		{"no cache", func(p *prober, c *Config) { p.cache = "" }, good, "kvm", "kvm", 1},
	} {
		for accel, want := range map[string]string{"auto": tc.auto, "kvm": tc.kvm, "tcg": "tcg"} {
			p, boots := fakeHost(t, tc.res)
			c := probing(accel)
			if tc.alter != nil {
				tc.alter(&p, &c)
			}
			got, err := p.choose(context.Background(), c)
			if want != "kvm" && want != "tcg" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: error %v, want %q in it", tc.name, accel, err, want)
				}
			} else if got != want || err != nil {
				t.Errorf("%s, %s: %q, %v, want %q", tc.name, accel, got, err, want)
			}
			if n := tc.boots; accel != "tcg" && *boots != n || accel == "tcg" && *boots != 0 {
				t.Errorf("%s, %s: %d probes", tc.name, accel, *boots)
			}
		}
	}
}

func TestICountMeansTCG(t *testing.T) {
	p, boots := fakeHost(t, Result{Reason: Exited, Status: 33})
	c := probing("auto")
	c.ICount = true
	if got, err := p.choose(context.Background(), c); got != "tcg" || err != nil || *boots != 0 {
		t.Errorf("%q, %v after %d probes", got, err, *boots)
	}
}

func TestAnswersAreRemembered(t *testing.T) {
	for _, res := range []Result{{Reason: Exited, Status: 33}, {Reason: TimedOut, Err: errors.New("hung")}} {
		p, boots := fakeHost(t, res)
		choose := func() string {
			t.Helper()
			got, err := p.choose(context.Background(), probing("auto"))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		first := choose()
		if second := choose(); second != first || *boots != 1 {
			t.Errorf("%q, then %q after %d probes", first, second, *boots)
		}
		p.release = func() (string, error) { return "6.2.0", nil }
		choose()
		p.version = func() (string, error) { return "8.0.0", nil }
		choose()
		if *boots != 3 {
			t.Errorf("%d probes on three hosts", *boots)
		}
	}
}

// TestReasonIsRemembered: whoever asks for KVM later hears what the probe did, in one line.
func TestReasonIsRemembered(t *testing.T) {
	p, boots := fakeHost(t, Result{Reason: TimedOut, Err: errors.New("hung\nfor good")})
	for try := range 3 {
		_, err := p.choose(context.Background(), probing("kvm"))
		if err == nil || !strings.Contains(err.Error(), "hung") || try > 0 && !strings.Contains(err.Error(), "did not run under it: hung for good, when it was tried") {
			t.Errorf("try %d: %v", try, err)
		}
	}
	if *boots != 1 {
		t.Errorf("%d probes", *boots)
	}
}

func TestBrokenAnswerIsIgnored(t *testing.T) {
	p, boots := fakeHost(t, Result{Reason: Exited, Status: 33})
	file, err := p.answerFile(probing("auto"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("ye"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := p.choose(context.Background(), probing("kvm")); got != "kvm" || err != nil || *boots != 1 {
		t.Errorf("%q, %v after %d probes", got, err, *boots)
	}
	if ok, _, known := recall(file); !ok || !known {
		t.Error("the new answer is not remembered")
	}
}

func TestNoAnswerIsRememberedFromABrokenOffProbe(t *testing.T) {
	for _, reason := range []Reason{Cancelled, Killed} {
		p, _ := fakeHost(t, Result{Reason: reason, Err: context.Canceled})
		_, err := p.choose(context.Background(), probing("auto"))
		if (err != nil) != (reason == Cancelled) {
			t.Errorf("%v: error %v", reason, err)
		}
		if _, err := os.Stat(p.cache); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: an answer is remembered", reason)
		}
	}
}

// The probe's boot itself, on an accelerator that works everywhere.
func TestBootProbe(t *testing.T) {
	path, _, err := Find("amd64")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	c := Config{Arch: "amd64", Machine: "microvm", Probe: image(exit(16))}
	res, err := bootProbe(context.Background(), path, c, "tcg")
	if err != nil || res.Reason != Exited || res.Status != 33 {
		t.Errorf("%+v, %v", res, err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) != 0 {
		t.Errorf("left over: %q", left)
	}
}

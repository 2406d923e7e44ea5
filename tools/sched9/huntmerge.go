package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/hunt"
)

// merge is -merge: it tells of what shards have written with -json as of one hunt. The error is also for what was found.
func (h *hunter) merge(files []string) error {
	if len(files) == 0 {
		return usageError{errors.New("-merge wants files that -json has made")}
	}
	var all tally
	seen := map[int]jsonVerdict{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return usageError{err}
		}
		err = all.read(f, seen)
		f.Close()
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", name, err)}
		}
	}
	all.print(h.out, 0, nil, nil, func(v hunt.Verdict, _ *hunt.Cause) string {
		return words("sched9", "hunt", "-replay", strconv.Itoa(v.Seed)) + " and the shards' other flags and package"
	})
	return all.status()
}

// read adds what r has, lines of -json. seen are those that were read before: a seed may come again, but not with another verdict.
func (t *tally) read(r io.Reader, seen map[int]jsonVerdict) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	for {
		var line jsonVerdict
		switch err := d.Decode(&line); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("this is not of -json: %w", err)
		}
		strategy := slices.Index(strategies(), line.Strategy)
		hash, err := strconv.ParseUint(line.Schedule, 16, 64)
		if strategy < 0 || err != nil {
			return fmt.Errorf("seed %d has no schedule", line.Seed)
		}
		if old, twice := seen[line.Seed]; twice {
			if old != line {
				return fmt.Errorf("seed %d has another verdict than before: the shards are not of one hunt", line.Seed)
			}
			continue
		}
		seen[line.Seed] = line
		t.add(hunt.Verdict{Seed: line.Seed, Status: line.Status, Failed: line.Failed, Title: line.Title, Broken: line.Broken,
			Counters: map[string]uint64{"hunt_strategy": uint64(strategy), "hunt_choices": line.Choices, "hunt_preempts": line.Preempts, "hunt_hash": hash, "hunt_space": line.Space}})
	}
}

// status is what the hunt ends with.
func (t *tally) status() error {
	switch {
	case len(t.failed) > 0:
		return ended(statusFailed)
	case len(t.broken) > 0:
		return ended(guest.StatusHost)
	}
	return nil
}

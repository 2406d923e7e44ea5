package sched

import "testing"

// opcodes are what a byte of FuzzProgram's input can stand for. Each op leaves the program
// able to end.
var opcodes = []op{
	1: opYield, 2: opNap, 3: opSleep, 4: opRead, 5: opTie, 6: opUntie, 7: opLeave, 8: opCall, 9: opLongCall,
	10: opVeryLongCall, 11: opNeedInCall, 12: opLook, 13: opVisit, 14: opStop, 15: opSpawn, 16: opNeed, 17: opWaker,
	18: opPartner, 19: opHasten, 20: opInject, 21: opBurn, 22: opErrand, 23: opNeedErrand, 24: opDoom, 25: opForeign, 26: opTakeCPU,
}

// More codes: spawnBody starts the next body, untilOver computes until the task that t
// started last has ended, or t is made to leave, and endBody ends a body.
const (
	spawnBody = 0
	untilOver = 27
	endBody   = 31
)

// bodies makes tasks of a program's text: the first body's, which starts the others.
func bodies(text []byte) func(mdl *model) *task {
	var list [][]byte
	begin := 0
	for i, b := range text {
		if b%32 == endBody {
			list = append(list, text[begin:i])
			begin = i + 1
		}
	}
	list = append(list, text[begin:])
	started := 0
	var body func(mdl *model) *task
	body = func(mdl *model) *task {
		text := list[started]
		started++
		var child *task
		return mdl.newTask(func(c *cpu, t *task) verdict {
			switch {
			case t.burn > 0:
				t.burn--
				return goOn
			case t.rounds > 0: // with a partner
				t.rounds--
				c.wake(t.friend, t.random(4) != 0)
				return c.wait(t)
			case t.phase == len(text):
				return exit
			}
			code := text[t.phase] % 32
			t.phase++
			switch {
			case code == spawnBody:
				if started < len(list) {
					child = body(mdl)
					mdl.s.Ready(c.m, &child.G, t.random(2) != 0)
				}
			case code == untilOver:
				if child != nil && !child.over.Load() && !mdl.host.spin(c, t, false, child.over.Load) {
					t.phase--
					return yield
				}
			case int(code) < len(opcodes):
				t.left = 3
				return opcodes[code](c, t)
			}
			return goOn
		})
	}
	return body
}

// programInput is the input of FuzzProgram: CPUs, Ps, a seed of schedules, and the text.
func programInput(ncpu, procs, seed byte, text ...byte) []byte {
	return append([]byte{ncpu - 1, procs - 1, seed}, text...)
}

// FuzzProgram runs programs of scheduler operations, each under a few schedules in turns:
// nothing may be lost, stuck, forgotten, or run twice.
func FuzzProgram(f *testing.F) {
	// What was wrong once, by the programs that showed it: a tied G beside a loop that never
	// leaves the CPU; two tied ones, and CPUs that were never started; a call that lasts until
	// another G is done, also on CPUs that a tick must not be relied on to start; calls
	// and ties while the world stops and shrinks; exits of tied Gs; foreign code.
	for seed := range byte(seeds(4, 1)) {
		for ncpu := byte(1); ncpu <= 4; ncpu++ {
			for procs := byte(1); procs <= ncpu; procs++ {
				f.Add(programInput(ncpu, procs, seed, spawnBody, untilOver, endBody, 5, 2, 2))
				f.Add(programInput(ncpu, procs, seed, spawnBody, spawnBody, untilOver, endBody, 5, 4, endBody, untilOver, 1))
				f.Add(programInput(ncpu, procs, seed, spawnBody, 5, 4, 1, 4, endBody, 5, 4, 1, 4))
				f.Add(programInput(ncpu, procs, seed, spawnBody, 11, 9, 10, endBody, 5, 9, 2))
				f.Add(programInput(ncpu, procs, seed, spawnBody, 14, 8, 14, endBody, 5, 13, 14, 9, 7))
				f.Add(programInput(ncpu, procs, seed, 20, 16, 18, 17, 22, 23, 19, 3, 12, 21, 6))
				f.Add(programInput(ncpu, procs, seed, spawnBody, 25, 26, 16, endBody, 24, 4, 25))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 || len(data) > 80 {
			return
		}
		ncpu := 1 + int(data[0]%4)
		procs := 1 + int32(data[1])%int32(ncpu)
		for seed := range uint64(3) {
			mdl, tn := newTurns(ncpu, procs, seed<<8+uint64(data[2])+1)
			mdl.ops = allOps
			mdl.budget.Store(30)
			mdl.s.RunqPut(mdl.s.M(0), &bodies(data[3:])(mdl).G, false)
			tn.start(mdl.cpus[0])
			if msg := tn.play(400_000); msg != "" {
				t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
			}
			if mdl.checkEnd(t); t.Failed() {
				t.FailNow()
			}
		}
	})
}

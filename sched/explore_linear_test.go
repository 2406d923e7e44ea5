//go:build explore

package sched

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// linearUses are an owner and thieves that do nothing but use the queues: the history
// of each of their interleavings is judged.
func linearUses() (list []*use) {
	for _, c := range []struct {
		name    string
		thieves int
		fill    int
		bound   int
		owner   func(k *clerk)
		thief   func(k *clerk)
	}{
		{"next", 1, 0, 3, func(k *clerk) { k.put(true); k.put(true); k.get(); k.get(); k.get() }, func(k *clerk) { k.steal(true); k.steal(true) }},
		{"overflow", 1, RingSize - 1, 3, func(k *clerk) { k.put(false); k.put(true); k.put(true) }, func(k *clerk) { k.steal(false); k.getGlobal(); k.steal(true) }},
		{"global", 1, 1, 3, func(k *clerk) { k.putGlobal(); k.putGlobal(); k.putGlobal(); k.getGlobal(); k.get() }, func(k *clerk) { k.getGlobal(); k.steal(false) }},
		{"empty", 1, 0, 3, func(k *clerk) { k.put(true); k.put(true); k.get(); k.get() }, func(k *clerk) { k.empty(); k.steal(false); k.empty() }},
		{"two", 2, 2, 2, func(k *clerk) { k.put(true); k.get(); k.get() }, func(k *clerk) { k.steal(true) }},
	} {
		var clerks []*clerk
		list = append(list, &use{
			name: "linear-" + c.name, rules: "R1 R2 R3 R4 R5 R6 R7 R9 R10", ncpu: c.thieves + 1, procs: int32(c.thieves + 1), bound: c.bound, raw: true,
			build: func(w *walk) {
				clerks = w.mdl.clerks(c.thieves, 1<<32-3, c.fill, func() int64 { w.ticks++; return w.ticks })
				for i, k := range clerks {
					do := c.thief
					if i == 0 {
						do = c.owner
					}
					w.seatAt(w.mdl.cpus[i], func() {
						defer w.mdl.cpus[i].caught()
						do(k)
					})
				}
			},
			end: func(w *walk) string {
				if ops := joined(clerks); !porcupine.CheckOperations(linear, ops) {
					return fmt.Sprintf("no order of the operations explains what they gave: %v", ops)
				}
				return ""
			},
		})
	}
	return list
}

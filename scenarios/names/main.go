// Names reads and writes the files in which a guest shows its scheduler (docs/names.md): /proc, /sched, /dev and /env. Stock Go on
// Linux has none of them, and there it says so.
package main

import (
	"fmt"
	"os"

	_ "sched9/names"
)

func main() {
	if _, err := os.Stat("/sched/ctl"); err != nil {
		fmt.Println("names: no /sched here")
		return
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"table", table}, {"environment", environment}, {"messages", messages}, {"self", self}, {"waiting", waiting}, {"callees", callees}, {"queues", queues}, {"times", times}, {"listing", listing},
		{"snapshot", snapshot}, {"control", control}, {"mistakes", mistakes}, {"policy", policy}, {"trace", traced}, {"wired", wired}, {"stop", stop}, {"note", note}, {"preempt", preempt}, {"words", words}, {"raw", raw}, {"churn", churn},
	} {
		if err := step.do(); err != nil {
			fmt.Printf("names: %s: %v\n", step.name, err)
			os.Exit(1)
		}
		fmt.Println("names:", step.name, "ok")
	}
	fmt.Println("names: done")
}

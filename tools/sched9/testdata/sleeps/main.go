// Sleeps prints a sum of the times at which 20,000 sleeps of a millisecond end.
package main

import (
	"fmt"
	"hash/fnv"
	"time"
)

func main() {
	sum := fnv.New64a()
	start := time.Now()
	for range 20_000 {
		time.Sleep(time.Millisecond)
		fmt.Fprintln(sum, time.Since(start).Nanoseconds())
	}
	fmt.Printf("%x\n", sum.Sum64())
}

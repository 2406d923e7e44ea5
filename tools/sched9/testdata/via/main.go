// Via prints what it was given, and exits with 7.
package main

import (
	"fmt"
	"os"
	"runtime"
)

// large reaches beyond what OVMF keeps for itself at 8 MiB, if the image begins below that.
var large [8 << 20]byte

func main() {
	large[len(large)-len(os.Args)] = 1
	data, err := os.ReadFile("/etc/motd")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("via: %d processors, %q, %q, %q\n", runtime.NumCPU(), os.Args[1:], os.Getenv("GREETING"), data)
	os.Exit(7)
}

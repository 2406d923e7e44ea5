// Via prints what it was given, and exits with 7.
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	data, err := os.ReadFile("/etc/motd")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("via: %d processors, %q, %q, %q\n", runtime.NumCPU(), os.Args[1:], os.Getenv("GREETING"), data)
	os.Exit(7)
}

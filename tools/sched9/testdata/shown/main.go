// Shown prints more lines than a screen has, and exits with 3.
package main

import (
	"fmt"
	"os"
)

func main() {
	for i := range 200 {
		fmt.Printf("shown: line %d\n", i)
	}
	fmt.Fprintln(os.Stderr, "shown:\tto standard error, é")
	os.Exit(3)
}

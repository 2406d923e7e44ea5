// Ends writes to both outputs and ends with the status 3.
package main

import "os"

func main() {
	os.Stdout.WriteString("ends: half a line, ")
	os.Stderr.WriteString("ends: to the other output\n")
	os.Stdout.WriteString("and the rest\n")
	os.Exit(3)
}

// Hang says so, and runs for ever.
package main

import "fmt"

func main() {
	fmt.Println("hang: begins")
	for {
	}
}

// Hang runs for ever.
package main

func main() {
	for {
	}
}

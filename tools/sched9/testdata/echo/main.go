// Echo says that it is ready, and prints the first line of its standard input.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	fmt.Println("echo: ready")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Printf("echo: %q, %v\n", line, err)
}

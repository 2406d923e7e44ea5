// Arguments prints how many arguments and variables there are, and a sum of all of them.
package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"
)

func main() {
	env := os.Environ()
	fmt.Printf("%d %d %x\n", len(os.Args), len(env), crc32.ChecksumIEEE([]byte(strings.Join(append(os.Args, env...), "\n"))))
}

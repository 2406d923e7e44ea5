// Book makes the site of docs/book: chapters, with code cut from the tree, and pictures and pages made of recordings of the programs beside
// them. Every other page that a chapter leads to is in the site too.
//
//	go run ./tools/book -o build/book
//	go run ./tools/book -step build/step.html    the page that steps through the scheduler, alone
//	go run ./tools/book -labs labs               the labs' pictures, each as its picture.txt says
//
// It boots each program once, by the command sched9, under -icount: the same tree gives the same site.
package main

import (
	"flag"
	"fmt"
	"os"

	"sched9/tools/internal/book"
)

func main() {
	out := flag.String("o", "build/book", "the site's `directory`")
	tool := flag.String("sched9", "build/sched9", "the `command`")
	step := flag.String("step", "", "write only the page that steps through the scheduler, to `file`")
	labs := flag.String("labs", "", "write only the labs' pictures, into a `directory` that has a folder for each")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "book: %q is one argument too many\n", flag.Arg(0))
		os.Exit(2)
	}
	err := error(nil)
	switch {
	case *step != "":
		err = book.Step(".", *step)
	case *labs != "":
		err = book.Labs(".", *labs, book.Tool(*tool))
	default:
		s := book.Site{Root: ".", Boot: book.Tool(*tool)}
		if err = s.Write(*out); err == nil {
			fmt.Printf("%s/%s: %d pages\n", *out, book.First, s.Pages())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "book:", err)
		os.Exit(1)
	}
}

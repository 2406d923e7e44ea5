// Shell is a shell in front of the scheduler: mvdan.cc/sh is the interpreter, u-root's packages are some of the commands, and each
// part of a pipe is a goroutine. In a guest that shows names (docs/names.md) one can look around and change things:
//
//	; ps | grep chan
//	; spin 3; cat /sched/p/0/queue
//	; echo slice 1ms >/sched/ctl
//	; for i in 1 2 3; do spin; done; ps | grep ready
//	; kill 17
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shell:", err)
		status = 1
	}
	os.Exit(status)
}

// run executes what it reads from standard input until that ends, and returns the last status.
func run() (status int, err error) {
	// Words come before builtins: echo, as the interpreter has it, does not say what went wrong with its output.
	words := interp.CallHandler(func(_ context.Context, args []string) ([]string, error) {
		if args[0] == "echo" || args[0] == "kill" {
			args[0] = "/" + args[0]
		}
		return args, nil
	})
	r, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), words, interp.ExecHandlers(handler))
	if err != nil {
		return 0, err
	}
	const prompt, more = "; ", "> "
	fmt.Print(prompt)
	parser := syntax.NewParser()
	err = parser.Interactive(os.Stdin, func(stmts []*syntax.Stmt) bool {
		if parser.Incomplete() {
			fmt.Print(more)
			return true
		}
		for _, s := range stmts {
			var exit interp.ExitStatus
			err := r.Run(context.Background(), s)
			status = 0
			if errors.As(err, &exit) {
				status = int(exit)
			} else if err != nil {
				fmt.Fprintln(os.Stderr, "shell:", err)
				status = 1
			}
			if r.Exited() {
				return false
			}
		}
		fmt.Print(prompt)
		return true
	})
	return status, err
}

// handler runs the commands that there are instead of programs.
func handler(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		io := interp.HandlerCtx(ctx)
		name := strings.TrimPrefix(args[0], "/")
		do := commands[name]
		if do == nil {
			fmt.Fprintf(io.Stderr, "%s: there is no such command; there are %s\n", name, strings.Join(known(), " "))
			return interp.ExitStatus(127)
		}
		if err := do(ctx, io, args[1:]); err != nil {
			fmt.Fprintf(io.Stderr, "%s: %v\n", name, err)
			return interp.ExitStatus(1)
		}
		return nil
	}
}

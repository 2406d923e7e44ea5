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
	"io"
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
	// What is typed is read here, line by line; commands read it only where the terminal does not need us for its lines.
	var in input = plain{os.Stdin}
	var stdin io.Reader = os.Stdin
	var columns, rows int
	if n, _ := fmt.Sscanf(os.Getenv("SHELL_TERMINAL"), "%dx%d", &columns, &rows); n == 2 {
		in, stdin = newEditor(columns, rows), nil
	}
	r, err := interp.New(interp.StdIO(stdin, os.Stdout, os.Stderr), words, interp.ExecHandlers(handler))
	if err != nil {
		return 0, err
	}
	const prompt, more = "; ", "> "
	in.prompt(prompt)
	parser := syntax.NewParser()
	err = parser.Interactive(in, func(stmts []*syntax.Stmt) bool {
		if parser.Incomplete() {
			in.prompt(more)
			return true
		}
		for _, s := range stmts {
			var exit interp.ExitStatus
			ctx := in.running()
			err := r.Run(ctx, s)
			status = 0
			if ctx.Err() != nil {
				status = 130
				break
			}
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
		in.prompt(prompt)
		return true
	})
	return status, err
}

// input is where lines come from.
type input interface {
	io.Reader
	// prompt says what stands before the next line; running returns the context of a line's commands.
	prompt(text string)
	running() context.Context
}

// until is a file of a command's, until that is interrupted.
type until struct {
	ctx context.Context
	io.Writer
}

func (u until) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Writer.Write(b)
}

// handler runs the commands that there are instead of programs.
func handler(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		io := interp.HandlerCtx(ctx)
		io.Stdout, io.Stderr = until{ctx, io.Stdout}, until{ctx, io.Stderr}
		name := strings.TrimPrefix(args[0], "/")
		do := commands[name]
		if do == nil {
			fmt.Fprintf(io.Stderr, "%s: there is no such command; there are %s\n", name, strings.Join(known(), " "))
			return interp.ExitStatus(127)
		}
		ended := make(chan error, 1)
		go func() { ended <- do(ctx, io, args[1:]) }()
		select {
		case err := <-ended:
			if err != nil {
				fmt.Fprintf(io.Stderr, "%s: %v\n", name, err)
				return interp.ExitStatus(1)
			}
			return nil
		case <-ctx.Done(): // it may read on, and ends with what it writes next
			return ctx.Err()
		}
	}
}

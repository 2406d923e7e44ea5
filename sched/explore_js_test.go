//go:build explore && js

package sched

import (
	"encoding/json"
	"syscall/js"
	"testing"
)

// TestPage is no test: run in a browser, it gives the page around it the functions that it steps with, says so, and
// stays for them. They take and return text.
func TestPage(t *testing.T) {
	answer := func(f func(args []js.Value) any) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			text, err := json.Marshal(f(args))
			if err != nil {
				panic(err)
			}
			return string(text)
		})
	}
	type entry struct{ Name, Rules string }
	page := js.Global().Get("sched9")
	page.Set("programs", answer(func([]js.Value) any {
		var list []entry
		for _, p := range uses {
			list = append(list, entry{p.name, p.rules})
		}
		return list
	}))
	page.Set("trail", answer(func(args []js.Value) any { return walkTrail(args[0].String()) }))
	page.Set("search", answer(func(args []js.Value) any {
		found, err := searchTrail(args[0].String(), uint64(args[1].Int()), uint64(args[2].Int()))
		if err != nil {
			return err.Error()
		}
		return found
	}))
	page.Call("ready")
	select {}
}

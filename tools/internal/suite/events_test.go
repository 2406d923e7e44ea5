package suite

import (
	"bytes"
	"strings"
	"testing"
)

// TestEvents has events written in pieces, and compares the result with go test's own output.
func TestEvents(t *testing.T) {
	const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"    a_test.go:5: from <A>\u0001\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- FAIL: TestA (0.50s)\n"}
{"Action":"output","Package":"m/a","Test":"TestA/sub","Output":"=== RUN   TestA/sub\n"}
{"Action":"output","Package":"m/a","Test":"TestA/sub","Output":"        a_test.go:6: from sub\n"}
{"Action":"output","Package":"m/a","Test":"TestA/sub","Output":"    --- FAIL: TestA/sub (0.25s)\n"}
{"Action":"output","Package":"m/a","Test":"TestA/good","Output":"    --- PASS: TestA/good (0.00s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestA/good","Elapsed":0}
{"Action":"fail","Package":"m/a","Test":"TestA/sub","Elapsed":0.25}
{"Action":"fail","Package":"m/a","Test":"TestA","Elapsed":0.5}
{"Action":"output","Package":"m/a","Test":"TestB","Output":"--- PASS: TestB (0.00s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"m/a","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestC","Elapsed":0}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.600s\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.6}
{"Action":"output","Package":"m/b","Output":"PASS\n"}
{"Action":"output","Package":"m/b","Output":"ok  \tm/b\t0.100s\n"}
{"Action":"pass","Package":"m/b","Elapsed":0.1}
{"ImportPath":"m/c [m/c.test]","Action":"build-output","Output":"# m/c\n"}
{"ImportPath":"m/c [m/c.test]","Action":"build-output","Output":"c/c.go:1:1: what is this\n"}
{"ImportPath":"m/c [m/c.test]","Action":"build-fail"}
{"Action":"output","Package":"m/c","Output":"FAIL\tm/c [build failed]\n"}
{"Action":"fail","Package":"m/c","Elapsed":0,"FailedBuild":"m/c [m/c.test]"}
{"Action":"output","Package":"m/d","Test":"TestD","Output":"=== RUN   TestD\n"}
{"Action":"output","Package":"m/d","Test":"TestD","Output":"panic: gone\n"}
{"Action":"output","Package":"m/d","Output":"FAIL\tm/d\t0.200s\n"}
{"Action":"fail","Package":"m/d","Elapsed":0.2}
not an event
`
	const quiet = "--- FAIL: TestA (0.50s)\n    a_test.go:5: from <A>\x01\n    --- FAIL: TestA/sub (0.25s)\n        a_test.go:6: from sub\n" +
		"FAIL\nFAIL\tm/a\t0.600s\nok  \tm/b\t0.100s\nFAIL\tm/c [build failed]\npanic: gone\nFAIL\tm/d\t0.200s\nnot an event\n"
	for _, c := range []struct {
		g         Events
		out, errs string
	}{
		{Events{}, quiet, "# m/c\nc/c.go:1:1: what is this\n"},
		{Events{JSON: true, Verbose: true}, events, ""},
		{Events{Verbose: true}, "--- PASS: TestB (0.00s)\n", "# m/c\nc/c.go:1:1: what is this\n"},
	} {
		var out, errs, report bytes.Buffer
		g := c.g
		g.Out, g.Err = &out, &errs
		for i := 0; i < len(events); i += 100 {
			if n, err := g.Write([]byte(events[i:min(i+100, len(events))])); err != nil || n != min(100, len(events)-i) {
				t.Fatal(n, err)
			}
		}
		if got := out.String(); got != c.out && (!g.Verbose || g.JSON || !strings.Contains(got, c.out)) || errs.String() != c.errs {
			t.Errorf("it says\n%s%swant\n%s%s", out.String(), errs.String(), c.out, c.errs)
		}
		if err := g.WriteJUnit(&report); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`<testsuites tests="7" errors="1" failures="3" skipped="1">`,
			`<testsuite name="m/a" tests="5" failures="2" errors="0" id="0" skipped="1" time="0.600">`,
			`<testcase name="TestA/sub" classname="m/a" time="0.250">`,
			"from <A>?", "<failure message=\"it did not end\"><![CDATA[=== RUN   TestD\npanic: gone",
			"<error message=\"the package failed\"><![CDATA[# m/c\nc/c.go:1:1: what is this",
		} {
			if !strings.Contains(report.String(), want) {
				t.Errorf("the report has no %s\n%s", want, report.String())
			}
		}
	}
}

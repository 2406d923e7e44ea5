package perfetto

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// out writes trace events, one a line. The first error stays; close tells it.
type out struct {
	w      *bufio.Writer
	line   []byte
	lines  int
	args   bool // the event's arguments have begun
	quoted map[string]string
	err    error
}

// newOut begins a file.
func newOut(w io.Writer) *out {
	o := &out{w: bufio.NewWriterSize(w, 1<<20), quoted: map[string]string{}}
	_, o.err = o.w.WriteString("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
	return o
}

// close ends the file. It does not close what is below.
func (o *out) close() error {
	if o.err == nil {
		_, o.err = o.w.WriteString("\n]}\n")
	}
	if o.err == nil {
		o.err = o.w.Flush()
	}
	return o.err
}

// begin begins an event of the kind ph on a track.
func (o *out) begin(ph byte, on track, name string) {
	o.line = o.line[:0]
	if o.lines > 0 {
		o.line = append(o.line, ',', '\n')
	}
	o.lines++
	o.args = false
	o.line = append(o.line, `{"ph":"`...)
	o.line = append(o.line, ph)
	o.line = append(o.line, `","pid":`...)
	o.line = strconv.AppendInt(o.line, int64(on.group), 10)
	o.line = append(o.line, `,"tid":`...)
	o.line = strconv.AppendInt(o.line, int64(on.id), 10)
	o.line = append(o.line, `,"name":`...)
	o.line = append(o.line, o.quote(name)...)
}

// time adds a time or a duration: the format's unit is the microsecond, and a
// fraction keeps the nanoseconds.
func (o *out) time(key string, ns int64) {
	o.key(key)
	o.line = strconv.AppendInt(o.line, ns/1000, 10)
	if r := ns % 1000; r != 0 {
		o.line = append(o.line, '.', byte('0'+r/100), byte('0'+r/10%10), byte('0'+r%10))
	}
}

// word adds a string field, num a number.
func (o *out) word(key, val string) {
	o.key(key)
	o.line = append(o.line, o.quote(val)...)
}

// num: see word.
func (o *out) num(key string, val int64) {
	o.key(key)
	o.line = strconv.AppendInt(o.line, val, 10)
}

// arg says that the fields that follow are the event's arguments.
func (o *out) arg() {
	o.key("args")
	o.line = append(o.line, '{')
	o.args = true
}

// end ends the event.
func (o *out) end() {
	if o.args {
		o.line = append(o.line, '}')
	}
	o.line = append(o.line, '}')
	if o.err == nil {
		_, o.err = o.w.Write(o.line)
	}
}

// key adds a field's name, with a comma if it is not the first.
func (o *out) key(k string) {
	if o.line[len(o.line)-1] != '{' {
		o.line = append(o.line, ',')
	}
	o.line = append(o.line, '"')
	o.line = append(o.line, k...)
	o.line = append(o.line, '"', ':')
}

// quote is s as JSON. A recording has few strings, each of them many times.
func (o *out) quote(s string) string {
	if q, ok := o.quoted[s]; ok {
		return q
	}
	b, err := json.Marshal(s)
	if err != nil {
		b = []byte(`""`)
	}
	o.quoted[s] = string(b)
	return string(b)
}

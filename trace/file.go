package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"unsafe"

	"sched9/record"
)

// A recording is a stream: fileMagic, then chunks of a type, a length and a
// payload. It can be read as far as it goes, so one that was cut off is worth
// something.
//
//	'm'  Meta, as JSON: the first chunk
//	'r'  uint32 M, uint32 0, uint64 lost before these, records of 32 bytes
//	'l'  Legend, as JSON, compressed; anywhere
//	'e'  End, as JSON: the last chunk
//
// Numbers are little endian.
const fileMagic = "sched9 recording 1\n"

const (
	chunkMeta    = 'm'
	chunkRecords = 'r'
	chunkLegend  = 'l'
	chunkEnd     = 'e'
)

// maxChunk bounds a chunk that is believed.
const maxChunk = 256 << 20

// Meta says what was recorded.
type Meta struct {
	Program string
	Arch    string
	Machine string
	SMP     int
	ICount  bool  // time counts instructions, so it repeats
	Slice   int64 // the scheduler's time slice in nanoseconds; 0, in old recordings: sched.Slice
	Base    uint64
	Mult    uint64
}

// End says how the run ended.
type End struct {
	Status int
	Why    string // if the guest did not end itself
}

// Writer writes a recording. The first error stays; Close tells it.
type Writer struct {
	w   *bufio.Writer
	err error
}

// NewWriter begins a recording.
func NewWriter(w io.Writer, m Meta) *Writer {
	t := &Writer{w: bufio.NewWriterSize(w, 1<<20)}
	_, t.err = t.w.WriteString(fileMagic)
	t.json(chunkMeta, m)
	return t
}

// chunk writes a chunk of the given parts.
func (t *Writer) chunk(kind byte, parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	var head [5]byte
	head[0] = kind
	binary.LittleEndian.PutUint32(head[1:], uint32(n))
	for _, p := range append([][]byte{head[:]}, parts...) {
		if t.err == nil {
			_, t.err = t.w.Write(p)
		}
	}
}

// json writes a chunk of JSON.
func (t *Writer) json(kind byte, v any) {
	b, err := json.Marshal(v)
	t.err = errors.Join(t.err, err)
	t.chunk(kind, b)
}

// Records writes what a Collector drained.
func (t *Writer) Records(m int, lost uint64, recs []record.Record) error {
	var head [16]byte
	binary.LittleEndian.PutUint32(head[:], uint32(m))
	binary.LittleEndian.PutUint64(head[8:], lost)
	var raw []byte
	if len(recs) > 0 {
		raw = unsafe.Slice((*byte)(unsafe.Pointer(&recs[0])), len(recs)*recordSize)
	}
	t.chunk(chunkRecords, head[:], raw)
	return t.err
}

// Pack makes of l what Packed writes. It takes long: the table is large.
func (l Legend) Pack() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // which is a level that there is
	json.NewEncoder(z).Encode(l)                    // neither a Legend nor a Buffer has errors
	z.Close()
	return b.Bytes()
}

// Legend writes what the records mean, and so does Packed.
func (t *Writer) Legend(l Legend)      { t.Packed(l.Pack()) }
func (t *Writer) Packed(legend []byte) { t.chunk(chunkLegend, legend) }

// Flush passes on what was written so far.
func (t *Writer) Flush() error { return errors.Join(t.err, t.w.Flush()) }

// Close ends the recording. It does not close what is below.
func (t *Writer) Close(e End) error {
	t.json(chunkEnd, e)
	return errors.Join(t.err, t.w.Flush())
}

const recordSize = int(unsafe.Sizeof(record.Record{}))

// NotRecording is the error of what is no recording at all, in contrast to one that is broken.
type NotRecording string

// Error is a sentence about the file.
func (e NotRecording) Error() string { return string(e) }

// errNoRecording is of what begins otherwise than recordings do.
const errNoRecording = NotRecording("it is no recording of sched9's: sched9 run -trace FILE makes one")

// Read reads a recording.
func Read(r io.Reader) (*Trace, error) {
	var l loader
	if err := chunks(r, l.chunk); err != nil {
		return nil, err
	}
	if !l.began {
		return nil, errors.New("the recording is cut off before it began")
	}
	return l.trace()
}

// loader gathers the chunks of a recording.
type loader struct {
	t     Trace
	began bool
	raw   [][]record.Record
	gaps  [][]gap
}

// gap says that records were lost before raw[m][at].
type gap struct {
	at   int
	lost uint64
}

// chunk takes a chunk.
func (l *loader) chunk(kind byte, p []byte) error {
	switch kind {
	case chunkMeta:
		l.began = true
		return json.Unmarshal(p, &l.t.Meta)
	case chunkRecords:
		m, recs, err := records(p)
		if err != nil {
			return err
		}
		for len(l.raw) <= m {
			l.raw = append(l.raw, nil)
			l.gaps = append(l.gaps, nil)
		}
		if lost := binary.LittleEndian.Uint64(p[8:]); lost > 0 {
			l.gaps[m] = append(l.gaps[m], gap{len(l.raw[m]), lost})
		}
		l.raw[m] = append(l.raw[m], recs...)
	case chunkLegend:
		z, err := gzip.NewReader(bytes.NewReader(p))
		if err != nil {
			return err
		}
		return json.NewDecoder(z).Decode(&l.t.Legend)
	case chunkEnd:
		l.t.Whole = true
		return json.Unmarshal(p, &l.t.End)
	}
	return nil // of a later version
}

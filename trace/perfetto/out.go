package perfetto

import (
	"bytes"
	"compress/zlib"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// The fields of Perfetto's messages that are written here, by their numbers in
// protos/perfetto/trace of its repository. The tests read what is written by a
// descriptor of these messages.
const (
	// Trace
	tracePacket = 1
	// TracePacket
	packetTimestamp  = 8
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetCompressed = 50
	packetTrack      = 60
	// InternedData: what is named by a number from here on
	internedNames = 2
	internedKeys  = 3
	internedWords = 29
	// EventName, DebugAnnotationName, InternedString
	internedID   = 1
	internedText = 2
	// TrackDescriptor
	trackID      = 1
	trackName    = 2
	trackParent  = 5
	trackCounter = 8
	trackOrder   = 11
	trackRank    = 12
	// TrackEvent
	eventArg     = 4
	eventType    = 9
	eventName    = 10
	eventTrack   = 11
	eventValue   = 30
	eventFlow    = 47
	eventFlowEnd = 48
	// DebugAnnotation
	argKey  = 1
	argInt  = 4
	argWord = 17
)

// Values of fields.
const (
	stateCleared     = 1 // sequence_flags: no names were given before
	stateNeeded      = 2 // and: this packet needs those that were
	explicitOrder    = 3 // child_ordering
	typeBegin        = 1
	typeEnd          = 2
	typeInstant      = 3
	typeCounter      = 4
	onlySequence     = 1 // there is one writer of packets
	blockSize        = 512 << 10
	bytesType        = protowire.BytesType
	varintType       = protowire.VarintType
	compressionLevel = zlib.DefaultCompression
)

// out writes packets, in compressed blocks, and keeps no more than a block of them.
// The first error stays; close tells it.
type out struct {
	w      io.Writer
	block  []byte // packets, each with its tag and length
	packed bytes.Buffer
	zip    *zlib.Writer
	flags  uint64

	packet, event, fresh, arg []byte // messages in the making; fresh has the names that are new
	at                        int64
	names, keys, words        table
	err                       error
}

// table numbers strings from 1, in a list of interned ones.
type table struct {
	field protowire.Number
	of    map[string]uint64
}

// newOut begins a file.
func newOut(w io.Writer) *out {
	o := &out{w: w, flags: stateCleared}
	for t, field := range map[*table]protowire.Number{&o.names: internedNames, &o.keys: internedKeys, &o.words: internedWords} {
		*t = table{field, map[string]uint64{}}
	}
	return o
}

// close ends the file. It does not close what is below.
func (o *out) close() error {
	o.flush()
	return o.err
}

// flush writes the block.
func (o *out) flush() {
	if len(o.block) == 0 || o.err != nil {
		return
	}
	o.packed.Reset()
	if o.zip == nil {
		o.zip, o.err = zlib.NewWriterLevel(&o.packed, compressionLevel)
		if o.err != nil {
			return
		}
	} else {
		o.zip.Reset(&o.packed)
	}
	o.zip.Write(o.block) // a Buffer has no errors
	o.zip.Close()
	o.block = o.block[:0]
	o.packet = appendBytes(o.packet[:0], packetCompressed, o.packed.Bytes())
	_, o.err = o.w.Write(appendBytes(o.block, tracePacket, o.packet))
}

// put adds the packet to the block.
func (o *out) put() {
	if o.flags != 0 {
		o.packet = appendNum(o.packet, packetFlags, o.flags)
		o.flags = 0
	}
	o.packet = appendNum(o.packet, packetSequence, onlySequence)
	o.block = appendBytes(o.block, tracePacket, o.packet)
	o.packet = o.packet[:0]
	if len(o.block) >= blockSize {
		o.flush()
	}
}

// track describes a track.
func (o *out) track(t track) {
	b := appendNum(o.event[:0], trackID, uint64(t.id))
	b = appendBytes(b, trackName, []byte(t.name))
	if t.parent != 0 {
		b = appendNum(b, trackParent, uint64(t.parent))
		b = appendNum(b, trackRank, uint64(t.rank))
	} else {
		b = appendNum(b, trackOrder, explicitOrder)
		b = appendNum(b, trackRank, uint64(t.rank))
	}
	if t.counter {
		b = appendBytes(b, trackCounter, nil)
	}
	o.event = b
	o.packet = appendBytes(o.packet[:0], packetTrack, b)
	o.put()
}

// begin begins an event of a type on a track. name may be "", for none.
func (o *out) begin(kind uint64, on uuid, at int64, name string) {
	o.at = at
	o.fresh = o.fresh[:0]
	o.event = appendNum(o.event[:0], eventType, kind)
	o.event = appendNum(o.event, eventTrack, uint64(on))
	if name != "" {
		o.event = appendNum(o.event, eventName, o.number(&o.names, name))
	}
}

// word adds an argument that is a string, num one that is a number.
func (o *out) word(key, val string) {
	o.arg = appendNum(o.arg[:0], argKey, o.number(&o.keys, key))
	o.arg = appendNum(o.arg, argWord, o.number(&o.words, val))
	o.event = appendBytes(o.event, eventArg, o.arg)
}

// num: see word.
func (o *out) num(key string, val int64) {
	o.arg = appendNum(o.arg[:0], argKey, o.number(&o.keys, key))
	o.arg = appendNum(o.arg, argInt, uint64(val))
	o.event = appendBytes(o.event, eventArg, o.arg)
}

// flow says that an arrow begins at the event, or ends there.
func (o *out) flow(field protowire.Number, id uint64) {
	o.event = protowire.AppendTag(o.event, field, protowire.Fixed64Type)
	o.event = protowire.AppendFixed64(o.event, id)
}

// end ends the event.
func (o *out) end() {
	o.packet = appendNum(o.packet[:0], packetTimestamp, uint64(max(0, o.at)))
	o.packet = appendBytes(o.packet, packetEvent, o.event)
	if len(o.fresh) > 0 {
		o.packet = appendBytes(o.packet, packetInterned, o.fresh)
	}
	o.flags |= stateNeeded
	o.put()
}

// value writes a counter's value.
func (o *out) value(on uuid, at, val int64) {
	o.begin(typeCounter, on, at, "")
	o.event = appendNum(o.event, eventValue, uint64(val))
	o.packet = appendNum(o.packet[:0], packetTimestamp, uint64(max(0, at)))
	o.packet = appendBytes(o.packet, packetEvent, o.event)
	o.put()
}

// number is a string's number, which is told with the event if it is new.
func (o *out) number(t *table, s string) uint64 {
	n, ok := t.of[s]
	if !ok {
		n = uint64(len(t.of) + 1)
		t.of[s] = n
		entry := appendNum(nil, internedID, n)
		entry = appendBytes(entry, internedText, []byte(s))
		o.fresh = appendBytes(o.fresh, t.field, entry)
	}
	return n
}

// appendNum appends a field that is a number.
func appendNum(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, varintType), n)
}

// appendBytes appends a field that is a string or a message.
func appendBytes(b []byte, field protowire.Number, p []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, bytesType), p)
}

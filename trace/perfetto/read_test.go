package perfetto

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"sched9/trace"
)

// field is a field of a message: its name in Perfetto's published proto, its number and its
// type; a type with a capital is a message, a star says that it is repeated.
type field struct {
	name   string
	number int32
	kind   string
}

// messages are those of Perfetto's proto that are written here, with the fields that are.
var messages = map[string][]field{
	"Trace":               {{"packet", 1, "*TracePacket"}},
	"TracePacket":         {{"timestamp", 8, "uint64"}, {"trusted_packet_sequence_id", 10, "uint32"}, {"track_event", 11, "TrackEvent"}, {"interned_data", 12, "InternedData"}, {"sequence_flags", 13, "uint32"}, {"compressed_packets", 50, "bytes"}, {"track_descriptor", 60, "TrackDescriptor"}},
	"InternedData":        {{"event_names", 2, "*EventName"}, {"debug_annotation_names", 3, "*DebugAnnotationName"}, {"debug_annotation_string_values", 29, "*InternedString"}},
	"EventName":           {{"iid", 1, "uint64"}, {"name", 2, "string"}},
	"DebugAnnotationName": {{"iid", 1, "uint64"}, {"name", 2, "string"}},
	"InternedString":      {{"iid", 1, "uint64"}, {"str", 2, "bytes"}},
	"TrackDescriptor":     {{"uuid", 1, "uint64"}, {"name", 2, "string"}, {"parent_uuid", 5, "uint64"}, {"counter", 8, "CounterDescriptor"}, {"child_ordering", 11, "int32"}, {"sibling_order_rank", 12, "int32"}},
	"CounterDescriptor":   {},
	"TrackEvent":          {{"debug_annotations", 4, "*DebugAnnotation"}, {"type", 9, "int32"}, {"name_iid", 10, "uint64"}, {"track_uuid", 11, "uint64"}, {"counter_value", 30, "int64"}, {"flow_ids", 47, "*fixed64"}, {"terminating_flow_ids", 48, "*fixed64"}},
	"DebugAnnotation":     {{"name_iid", 1, "uint64"}, {"int_value", 4, "int64"}, {"string_value_iid", 17, "uint64"}},
}

// schema makes a descriptor of messages.
func schema(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	kinds := map[string]descriptorpb.FieldDescriptorProto_Type{
		"uint64": descriptorpb.FieldDescriptorProto_TYPE_UINT64, "uint32": descriptorpb.FieldDescriptorProto_TYPE_UINT32,
		"int64": descriptorpb.FieldDescriptorProto_TYPE_INT64, "int32": descriptorpb.FieldDescriptorProto_TYPE_INT32, "fixed64": descriptorpb.FieldDescriptorProto_TYPE_FIXED64,
		"string": descriptorpb.FieldDescriptorProto_TYPE_STRING, "bytes": descriptorpb.FieldDescriptorProto_TYPE_BYTES,
	}
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("perfetto.proto"), Package: proto.String("perfetto.protos"), Syntax: proto.String("proto2")}
	for name, fields := range messages {
		m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for _, f := range fields {
			d := &descriptorpb.FieldDescriptorProto{Name: proto.String(f.name), Number: proto.Int32(f.number), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
			if f.kind[0] == '*' {
				d.Label, f.kind = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), f.kind[1:]
			}
			if kind, ok := kinds[f.kind]; ok {
				d.Type = kind.Enum()
			} else {
				d.Type, d.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".perfetto.protos."+f.kind)
			}
			m.Field = append(m.Field, d)
		}
		file.MessageType = append(file.MessageType, m)
	}
	d, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d.Messages().ByName("Trace")
}

// msg is a message that was read.
type msg struct{ protoreflect.Message }

// has, num, text and of read a field.
func (m msg) has(name string) bool {
	return m.Has(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}
func (m msg) get(name string) protoreflect.Value {
	return m.Get(m.Descriptor().Fields().ByName(protoreflect.Name(name)))
}
func (m msg) num(name string) int64 {
	switch v := m.get(name).Interface().(type) {
	case uint64:
		return int64(v)
	case uint32:
		return int64(v)
	case int32:
		return int64(v)
	case int64:
		return v
	}
	panic(name)
}
func (m msg) of(name string) msg { return msg{m.get(name).Message()} }
func (m msg) all(name string) (list []msg) {
	l := m.get(name).List()
	for i := range l.Len() {
		list = append(list, msg{l.Get(i).Message()})
	}
	return list
}

// event is what a viewer makes of an event: of a slice's two ends one, X, another is a
// counter's value, C, or a mark, i.
type event struct {
	ph, on, name string
	at, long     int64
	args         map[string]any
	value        int64
	flow, ends   []uint64
	begin, end   int // places in the file
}

// reader reads a file as a viewer does.
type reader struct {
	t                  *testing.T
	tracks             map[int64]string
	names, keys, words map[int64]string
	all                []*event
	open               map[int64][]*event
	n                  int
	bad                []string
	biggest            int // the largest block
}

// written is what Write makes of a run that comes in pieces of some size.
func written(t *testing.T, v *trace.View, size int) *reader {
	t.Helper()
	var b bytes.Buffer
	each := func(f func([]trace.Event) error) error {
		for es := range slices.Chunk(v.Trace.Events, size) {
			if err := f(es); err != nil {
				return err
			}
		}
		return nil
	}
	if err := Write(&b, v.Trace, each); err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, tracks: map[int64]string{}, names: map[int64]string{}, keys: map[int64]string{}, words: map[int64]string{}, open: map[int64][]*event{}}
	d := schema(t)
	r.file(d, b.Bytes())
	for on, list := range r.open {
		if len(list) > 0 {
			r.say("%d slices on %s have no end", len(list), r.tracks[on])
		}
	}
	return r
}

// say notes what is wrong.
func (r *reader) say(format string, args ...any) { r.bad = append(r.bad, fmt.Sprintf(format, args...)) }

// file reads a Trace.
func (r *reader) file(d protoreflect.MessageDescriptor, b []byte) {
	r.t.Helper()
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(b, m); err != nil {
		r.t.Fatal(err)
	}
	r.known(m)
	for _, p := range (msg{m}).all("packet") {
		if p.has("compressed_packets") {
			z, err := zlib.NewReader(bytes.NewReader(p.get("compressed_packets").Bytes()))
			if err != nil {
				r.t.Fatal(err)
			}
			block, err := io.ReadAll(z)
			if err != nil {
				r.t.Fatal(err)
			}
			r.biggest = max(r.biggest, len(block))
			r.file(d, block)
			continue
		}
		r.packet(p)
	}
}

// known fails the test if a message has fields that the proto does not.
func (r *reader) known(m protoreflect.Message) {
	if len(m.GetUnknown()) > 0 {
		r.t.Fatalf("a %s has unknown fields: %x", m.Descriptor().Name(), m.GetUnknown())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				r.known(v.List().Get(i).Message())
			}
		default:
			r.known(v.Message())
		}
		return true
	})
}

// packet reads a TracePacket.
func (r *reader) packet(p msg) {
	r.n++
	if flags := p.num("sequence_flags"); (r.n == 1) != (flags&stateCleared != 0) {
		r.say("packet %d has the flags %d", r.n, flags)
	}
	if p.num("trusted_packet_sequence_id") != 1 {
		r.say("packet %d is of no sequence", r.n)
	}
	if p.has("interned_data") {
		i := p.of("interned_data")
		for _, l := range []struct {
			field, text string
			into        map[int64]string
		}{{"event_names", "name", r.names}, {"debug_annotation_names", "name", r.keys}, {"debug_annotation_string_values", "str", r.words}} {
			for _, e := range i.all(l.field) {
				id := e.num("iid")
				if _, twice := l.into[id]; twice || id == 0 {
					r.say("%s %d is told twice", l.field, id)
				}
				if l.text == "str" {
					l.into[id] = string(e.get("str").Bytes())
				} else {
					l.into[id] = e.get("name").String()
				}
			}
		}
	}
	if p.has("track_descriptor") {
		d := p.of("track_descriptor")
		id := d.num("uuid")
		if _, twice := r.tracks[id]; twice {
			r.say("track %d is described twice", id)
		}
		if up := d.num("parent_uuid"); up != 0 && r.tracks[up] == "" {
			r.say("track %d is below one that is not there", id)
		}
		r.tracks[id] = d.get("name").String()
	}
	if p.has("track_event") {
		r.event(p.of("track_event"), p.num("timestamp"), p.num("sequence_flags"))
	}
}

// event reads a TrackEvent.
func (r *reader) event(e msg, at, flags int64) {
	on := e.num("track_uuid")
	track := r.tracks[on]
	if track == "" {
		r.say("an event is on track %d, which is not described yet", on)
	}
	ev := &event{on: track, at: at, args: map[string]any{}, begin: r.n}
	if e.has("name_iid") {
		ev.name = r.names[e.num("name_iid")]
		if ev.name == "" || flags&stateNeeded == 0 {
			r.say("the name of packet %d is not known", r.n)
		}
	}
	for _, a := range e.all("debug_annotations") {
		key := r.keys[a.num("name_iid")]
		if key == "" {
			r.say("an argument of packet %d has no name", r.n)
		}
		if a.has("int_value") {
			ev.args[key] = a.num("int_value")
		} else {
			ev.args[key] = r.words[a.num("string_value_iid")]
		}
	}
	ids := func(name string) (ids []uint64) {
		l := e.get(name).List()
		for i := range l.Len() {
			ids = append(ids, l.Get(i).Uint())
		}
		return ids
	}
	ev.flow, ev.ends = ids("flow_ids"), ids("terminating_flow_ids")
	switch kind := e.num("type"); kind {
	case typeBegin:
		ev.ph = "X"
		r.open[on] = append(r.open[on], ev)
		r.all = append(r.all, ev)
	case typeEnd:
		list := r.open[on]
		if len(list) == 0 {
			r.say("an end on %s without a begin", track)
			return
		}
		b := list[len(list)-1]
		r.open[on] = list[:len(list)-1]
		b.long, b.end = at-b.at, r.n
		if b.long < 0 {
			r.say("%s on %s ends before it begins", b.name, track)
		}
	case typeInstant:
		ev.ph = "i"
		r.all = append(r.all, ev)
	case typeCounter:
		ev.ph = "C"
		ev.value = e.num("counter_value")
		r.all = append(r.all, ev)
	default:
		r.say("what is a %d?", kind)
	}
}

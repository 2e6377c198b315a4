package feed

import (
	"fmt"
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Field numbers of evenkeel.v1. The feed encodes the fields around objects itself, so that the bytes of an object are
// written once, in place, and never parsed.
const (
	requestObjects = 2
	requestEvents  = 4
	// Objects.objects and Events.events.
	item = 1

	eventType   = 1
	eventObject = 2

	objectMetadata          = 1
	metadataName            = 1
	metadataNamespace       = 3
	metadataUID             = 5
	metadataResourceVersion = 6
)

const (
	// Messages of about this size are the fastest. A larger object gets a separate message.
	maxMessageBytes = 128 << 10
	maxMessageItems = 500
)

// message is an encoded SyncRequest about one kind: objects of a snapshot, or events.
type message struct {
	kind evenkeelv1.ObjectKind
	// step is the field of the SyncRequest.
	step  protowire.Number
	body  []byte
	items int
}

func (m *message) isFull() bool { return m.items >= maxMessageItems || len(m.body) >= maxMessageBytes }

// addObject adds an object of a snapshot.
func (m *message) addObject(object object) error {
	size := object.Size()
	m.body = appendHeader(m.body, item, m.sizeOfObject(size))
	return m.writeObject(object, size)
}

// addEvent adds an event with the whole object or, for a deletion, with what identifies it.
func (m *message) addEvent(event event) error {
	if event.isDeletion() {
		m.addMetadataEvent(event.typ, identityOf(event.object))
		return nil
	}
	size := event.object.Size()
	m.beginEvent(event.typ, size)
	return m.writeObject(event.object, size)
}

// addBookmark adds a bookmark with a version.
func (m *message) addBookmark(version string) {
	m.addMetadataEvent(evenkeelv1.ClusterEvent_TYPE_BOOKMARK, appendText(nil, metadataResourceVersion, version))
}

// addMetadataEvent adds an event whose object has only this metadata.
func (m *message) addMetadataEvent(typ evenkeelv1.ClusterEvent_Type, metadata []byte) {
	size := sizeOf(objectMetadata, len(metadata))
	m.beginEvent(typ, size)
	m.body = appendHeader(m.body, protowire.Number(m.kind), size)
	m.body = append(appendHeader(m.body, objectMetadata, len(metadata)), metadata...)
	m.items++
}

// beginEvent writes the header of the ClusterObject of an object of that size.
func (m *message) beginEvent(typ evenkeelv1.ClusterEvent_Type, size int) {
	withType := protowire.SizeTag(eventType) + protowire.SizeVarint(uint64(typ))
	m.body = appendHeader(m.body, item, withType+sizeOf(eventObject, m.sizeOfObject(size)))
	m.body = protowire.AppendTag(m.body, eventType, protowire.VarintType)
	m.body = protowire.AppendVarint(m.body, uint64(typ))
	m.body = appendHeader(m.body, eventObject, m.sizeOfObject(size))
}

// sizeOfObject is the size of a ClusterObject with an object of that size. Its field number is that of the kind.
func (m *message) sizeOfObject(size int) int { return sizeOf(protowire.Number(m.kind), size) }

// writeObject writes the object as the field of a ClusterObject.
func (m *message) writeObject(object object, size int) error {
	m.body = slices.Grow(appendHeader(m.body, protowire.Number(m.kind), size), size)
	at := len(m.body)
	m.body = m.body[:at+size]
	written, err := object.MarshalToSizedBuffer(m.body[at:])
	if err == nil && written != size {
		err = fmt.Errorf("%s was marshaled to %d bytes, expected %d", keyOf(object), written, size)
	}
	m.items++
	return err
}

// sizeOf is the size of a field with that many bytes.
func sizeOf(field protowire.Number, size int) int {
	return protowire.SizeTag(field) + protowire.SizeBytes(size)
}

// appendHeader writes the tag and length of a field with that many bytes.
func appendHeader(to []byte, field protowire.Number, size int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.BytesType), uint64(size))
}

func appendText(to []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return to
	}
	return append(appendHeader(to, field, len(text)), text...)
}

// identityOf is the part of an object's metadata that identifies it.
func identityOf(object object) []byte {
	metadata := appendText(nil, metadataName, object.GetName())
	metadata = appendText(metadata, metadataNamespace, object.GetNamespace())
	metadata = appendText(metadata, metadataUID, string(object.GetUID()))
	return appendText(metadata, metadataResourceVersion, object.GetResourceVersion())
}

// codec sends each message as its bytes. Everything else is marshaled as protobuf.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	switch request := v.(type) {
	case *message:
		head := appendHeader(nil, request.step, len(request.body))
		return mem.BufferSlice{mem.SliceBuffer(head), mem.SliceBuffer(request.body)}, nil
	case proto.Message:
		bytes, err := proto.Marshal(request)
		return mem.BufferSlice{mem.SliceBuffer(bytes)}, err
	default:
		return nil, fmt.Errorf("cannot send %T", v)
	}
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	response, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("cannot receive %T", v)
	}
	return proto.Unmarshal(data.Materialize(), response)
}

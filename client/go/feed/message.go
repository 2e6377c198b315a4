package feed

import (
	"fmt"
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Field numbers of evenkeel.v1. What stands around objects is written here, so that the bytes of an object are made once,
// in their place, and never parsed.
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
	// Messages of about this size are the fastest. An object that is larger has a message to itself.
	maxMessageBytes = 128 << 10
	maxMessageItems = 500
)

// message is a SyncRequest in bytes, about one kind: objects of a snapshot, or events.
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

// addEvent adds an event with the whole object or, where it was deleted, with what names it.
func (m *message) addEvent(event event) error {
	if event.isDeletion() {
		m.addMetadataEvent(event.typ, identityOf(event.object))
		return nil
	}
	size := event.object.Size()
	m.beginEvent(event.typ, size)
	return m.writeObject(event.object, size)
}

// addBookmark tells that the feed of the kind has got to a version.
func (m *message) addBookmark(version string) {
	m.addMetadataEvent(evenkeelv1.ClusterEvent_TYPE_BOOKMARK, appendText(nil, metadataResourceVersion, version))
}

// addShortEvent adds an event whose object has only these metadata.
func (m *message) addMetadataEvent(typ evenkeelv1.ClusterEvent_Type, metadata []byte) {
	size := sizeOf(objectMetadata, len(metadata))
	m.beginEvent(typ, size)
	m.body = appendHeader(m.body, protowire.Number(m.kind), size)
	m.body = append(appendHeader(m.body, objectMetadata, len(metadata)), metadata...)
	m.items++
}

// beginEvent writes what stands before the ClusterObject of an object of that size.
func (m *message) beginEvent(typ evenkeelv1.ClusterEvent_Type, size int) {
	withType := protowire.SizeTag(eventType) + protowire.SizeVarint(uint64(typ))
	m.body = appendHeader(m.body, item, withType+sizeOf(eventObject, m.sizeOfObject(size)))
	m.body = protowire.AppendTag(m.body, eventType, protowire.VarintType)
	m.body = protowire.AppendVarint(m.body, uint64(typ))
	m.body = appendHeader(m.body, eventObject, m.sizeOfObject(size))
}

// sizeOfObject is the size of the ClusterObject of an object of that size. It has the kind's number as its field.
func (m *message) sizeOfObject(size int) int { return sizeOf(protowire.Number(m.kind), size) }

// write writes the object as the field of a ClusterObject.
func (m *message) writeObject(object object, size int) error {
	m.body = slices.Grow(appendHeader(m.body, protowire.Number(m.kind), size), size)
	at := len(m.body)
	m.body = m.body[:at+size]
	written, err := object.MarshalToSizedBuffer(m.body[at:])
	if err == nil && written != size {
		err = fmt.Errorf("%s takes %d bytes, not %d", keyOf(object), written, size)
	}
	m.items++
	return err
}

// sizeOf is the size of a field of that many bytes.
func sizeOf(field protowire.Number, size int) int {
	return protowire.SizeTag(field) + protowire.SizeBytes(size)
}

// appendHead writes what stands before a field of that many bytes.
func appendHeader(to []byte, field protowire.Number, size int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.BytesType), uint64(size))
}

func appendText(to []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return to
	}
	return append(appendHeader(to, field, len(text)), text...)
}

// metadataOf is the part of an object's metadata that names it.
func identityOf(object object) []byte {
	metadata := appendText(nil, metadataName, object.GetName())
	metadata = appendText(metadata, metadataNamespace, object.GetNamespace())
	metadata = appendText(metadata, metadataUID, string(object.GetUID()))
	return appendText(metadata, metadataResourceVersion, object.GetResourceVersion())
}

// codec sends messages as they are. Everything else is a message of protobuf.
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

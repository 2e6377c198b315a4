package io.evenkeel.kube;

import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.SyncRequest;
import java.util.Arrays;

/**
 * Writes objects or events of one kind, whose bytes are known, as the bytes of a SyncRequest. Not safe for use by
 * several threads.
 *
 * <pre>
 *   step tag | length, always 5 bytes | element | element | …
 *   element of Objects:  tag | length | kind tag | length | the object's bytes
 *   element of Events:   tag | length | type tag | type | object tag | length | kind tag | length | the object's bytes
 * </pre>
 *
 * The step's length is written when the message is complete.
 */
final class SyncMessage {
    private static final int DELIMITED = 2;
    private static final int LENGTH_BYTES = 5;
    private static final int HEADER_BYTES = 1 + LENGTH_BYTES;
    private static final int MOST_BESIDE_THE_OBJECT = 32;
    private static final int EVENT_TYPE_TAG = ClusterEvent.TYPE_FIELD_NUMBER << 3;

    private final int kindTag;
    private byte[] bytes = new byte[1 << 14];
    private int length = HEADER_BYTES;
    private int count;
    private boolean events;

    /** @param kind the number of the kind's field in ClusterObject */
    SyncMessage(int kind) {
        this.kindTag = kind << 3 | DELIMITED;
        if (ClusterObject.ObjectCase.forNumber(kind) == null) {
            throw new IllegalArgumentException("must be a kind of objects, was " + kind);
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** How many objects or events it has. */
    int count() {
        return count;
    }

    /** How many bytes it has. */
    int length() {
        return length;
    }

    /** Whether it has events; otherwise it has objects of a snapshot. */
    boolean hasEvents() {
        return events;
    }

    /** Adds an object of a snapshot. */
    void addObject(byte[] source, int from, int to) {
        begin(false);
        int size = to - from;
        int wrapped = 1 + lengthOf(size) + size;
        makeRoom(size);
        writeTag(Objects.OBJECTS_FIELD_NUMBER << 3 | DELIMITED);
        writeLength(wrapped);
        writeObject(source, from, size);
    }

    /** Adds an event. */
    void addEvent(ClusterEvent.Type type, byte[] source, int from, int to) {
        begin(true);
        int size = to - from;
        int wrapped = 1 + lengthOf(size) + size;
        makeRoom(size);
        writeTag(Events.EVENTS_FIELD_NUMBER << 3 | DELIMITED);
        writeLength(2 + 1 + lengthOf(wrapped) + wrapped);
        writeTag(EVENT_TYPE_TAG);
        writeTag(type.getNumber());
        writeTag(ClusterEvent.OBJECT_FIELD_NUMBER << 3 | DELIMITED);
        writeLength(wrapped);
        writeObject(source, from, size);
    }

    private void begin(boolean event) {
        if (count++ > 0 && events != event) {
            throw new IllegalStateException("a message has either objects or events");
        }
        events = event;
    }

    private void makeRoom(int size) {
        int needed = Math.addExact(length, size + MOST_BESIDE_THE_OBJECT);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - Long.BYTES, Math.max(needed, 2L * length)));
        }
    }

    private void writeObject(byte[] source, int from, int size) {
        writeTag(kindTag);
        writeLength(size);
        System.arraycopy(source, from, bytes, length, size);
        length += size;
    }

    private void writeTag(int tag) {
        bytes[length++] = (byte) tag;
    }

    private void writeLength(int value) {
        int left = value;
        while (left > 0x7F) {
            bytes[length++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[length++] = (byte) left;
    }

    private static int lengthOf(int value) {
        return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(value) + 6) / 7);
    }

    /** Completes the message: its bytes are the first {@link #length} ones of {@link #bytes}, until it is cleared. */
    void complete() {
        bytes[0] =
                (byte) ((events ? SyncRequest.EVENTS_FIELD_NUMBER : SyncRequest.OBJECTS_FIELD_NUMBER) << 3 | DELIMITED);
        int left = length - HEADER_BYTES;
        for (int i = 1; i < LENGTH_BYTES; i++) {
            bytes[i] = (byte) (left | 0x80);
            left >>>= 7;
        }
        bytes[LENGTH_BYTES] = (byte) left;
    }

    byte[] bytes() {
        return bytes;
    }

    /** A message with this element alone. */
    static byte[] single(int stepTag, int elementTag, byte[] source, int from, int to) {
        SyncMessage message = new SyncMessage(ClusterObject.NODE_FIELD_NUMBER);
        message.begin(stepTag == (SyncRequest.EVENTS_FIELD_NUMBER << 3 | DELIMITED));
        int size = to - from;
        message.makeRoom(size);
        message.writeTag(elementTag);
        message.writeLength(size);
        System.arraycopy(source, from, message.bytes, message.length, size);
        message.length += size;
        message.complete();
        return Arrays.copyOf(message.bytes, message.length);
    }

    /** Drops what was added. */
    void clear() {
        length = HEADER_BYTES;
        count = 0;
    }
}

package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.kube.client.BodyReader;
import io.evenkeel.kube.client.Envelope;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.objects.WireCursor;
import java.io.IOException;

/**
 * Reads a list that arrives in chunks of any size, and passes on each item when it is complete. Buffers at most one
 * item.
 *
 * <pre>
 *   "k8s" 0, then Unknown { typeMeta = 1, raw = 2: List { metadata = 1: ListMeta, items = 2 … }, … }
 *   ListMeta { resourceVersion = 2, continue = 3 }
 * </pre>
 */
final class ListReader implements BodyReader {
    private static final int MAX_ITEM_BYTES = 64 << 20;
    private static final int METADATA = WireCursor.delimited(1);
    private static final int ITEM = WireCursor.delimited(2);
    private static final int RESOURCE_VERSION = WireCursor.delimited(2);
    private static final int CONTINUE = WireCursor.delimited(3);
    private static final int RAW = WireCursor.delimited(Envelope.RAW_FIELD);
    private static final int ENCODING = WireCursor.delimited(Envelope.ENCODING_FIELD);

    /** Receives the items of a list. */
    interface Items {
        /** Receives an item: the bytes from {@code from} to {@code to}. */
        void item(byte[] bytes, int from, int to) throws IOException;
    }

    private final ByteWindow window = new ByteWindow();
    private final Items items;

    /** Whether the envelope's magic number was read. */
    private boolean begun;

    /** Whether reading of the list began, and how many of its bytes are unread. */
    private boolean entered;

    private int left;

    /** The field that begins at the next byte; set by {@link #readHeader}. */
    private int tag;

    private int headerLength;
    private int valueLength;

    /** The offset after the last varint that was read. */
    private int valueFrom;

    private String resourceVersion = "";
    private String continuation = "";

    ListReader(Items items) {
        this.items = items;
    }

    /** The list's resourceVersion; empty if there was none. */
    String resourceVersion() {
        return resourceVersion;
    }

    /** The continue token for the next page; empty on the last. */
    String continuation() {
        return continuation;
    }

    @Override
    public void read(byte[] bytes, int from, int to) throws IOException {
        window.append(bytes, from, to);
        if (!begun) {
            if (window.size() < Envelope.MAGIC_LENGTH) {
                return;
            }
            if (!Envelope.isAt(window.bytes(), window.from(), window.to())) {
                throw new MalformedAnswerException("list does not begin with the Kubernetes protobuf prefix");
            }
            window.skip(Envelope.MAGIC_LENGTH);
            begun = true;
        }
        while (readHeader()) {
            if (left > 0) {
                if (!readOfList()) {
                    return;
                }
            } else if (tag == RAW) {
                window.skip(headerLength);
                entered = true;
                left = valueLength;
            } else if (!readBesideList()) {
                return;
            }
        }
    }

    /** Reads the tag and length of the next field. Returns false if they are incomplete. */
    private boolean readHeader() throws MalformedAnswerException {
        long first = varint(window.from());
        if (first < 0) {
            return false;
        }
        tag = (int) first;
        if (!isDelimited(tag)) {
            throw new MalformedAnswerException("list has an unexpected field");
        }
        long length = varint(valueFrom);
        if (length < 0) {
            return false;
        }
        if (length > Integer.MAX_VALUE) {
            throw new MalformedAnswerException("list has a field with a negative length");
        }
        valueLength = (int) length;
        headerLength = valueFrom - window.from();
        return true;
    }

    private static boolean isDelimited(int tag) {
        return (tag & 7) == (ITEM & 7);
    }

    /** The varint at this offset, of at most 5 bytes; -1 if it is incomplete. */
    private long varint(int at) throws MalformedAnswerException {
        long value = 0;
        for (int i = 0; i < 5; i++) {
            if (at + i >= window.to()) {
                return -1;
            }
            byte next = window.bytes()[at + i];
            value |= (next & 0x7FL) << 7 * i;
            if (next >= 0) {
                valueFrom = at + i + 1;
                return value;
            }
        }
        throw new MalformedAnswerException("list has a varint of more than 5 bytes");
    }

    /** Reads a field of the list. Returns false if it is incomplete. */
    private boolean readOfList() throws IOException {
        if (valueLength > left - headerLength || valueLength > MAX_ITEM_BYTES) {
            throw new MalformedAnswerException("list item is too large: " + valueLength + " bytes");
        }
        if (window.size() < headerLength + valueLength) {
            return false;
        }
        int from = window.from() + headerLength;
        int to = from + valueLength;
        if (tag == ITEM) {
            items.item(window.bytes(), from, to);
        } else if (tag == METADATA) {
            readMetadata(new WireCursor(window.bytes(), from, to));
        }
        left -= headerLength + valueLength;
        window.skip(headerLength + valueLength);
        return true;
    }

    private boolean readBesideList() throws MalformedAnswerException {
        if (tag == ENCODING && valueLength > 0) {
            throw new MalformedAnswerException("list has a content encoding that was not requested");
        }
        if (valueLength > MAX_ITEM_BYTES) {
            throw new MalformedAnswerException("list envelope has a field of " + valueLength + " bytes");
        }
        if (window.size() < headerLength + valueLength) {
            return false;
        }
        window.skip(headerLength + valueLength);
        return true;
    }

    private void readMetadata(WireCursor wire) throws MalformedAnswerException {
        try {
            while (wire.next()) {
                if (wire.tag() == RESOURCE_VERSION) {
                    resourceVersion = wire.readText();
                } else if (wire.tag() == CONTINUE) {
                    continuation = wire.readText();
                } else {
                    wire.skip();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedAnswerException("list metadata is not valid protobuf: " + e.getMessage());
        }
    }

    @Override
    public void end() throws IOException {
        if (!entered || left > 0 || window.size() > 0) {
            throw new IOException("the connection ended in the middle of a list");
        }
    }
}

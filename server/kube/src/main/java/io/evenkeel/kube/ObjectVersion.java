package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.call.ResourceVersionReader;
import io.evenkeel.v1.ObjectMeta;

/**
 * The part of an object's metadata that shows how far a watch has got.
 *
 * @param resourceVersion 0 if there is none
 * @param endsList whether this is the bookmark after the initial events of a streaming list
 */
record ObjectVersion(long resourceVersion, boolean endsList) {
    private static final int METADATA = WireCursor.delimited(1);
    private static final int RESOURCE_VERSION = WireCursor.delimited(ObjectMeta.RESOURCE_VERSION_FIELD_NUMBER);
    private static final int ANNOTATIONS = WireCursor.delimited(12);
    private static final int KEY = WireCursor.delimited(1);
    private static final int VALUE = WireCursor.delimited(2);
    private static final String END_OF_LIST = "k8s.io/initial-events-end";

    /** Parses a bookmark. */
    static ObjectVersion of(byte[] bytes, int from, int to) throws MalformedAnswerException {
        WireCursor wire = new WireCursor(bytes, from, to);
        String version = "";
        boolean endsList = false;
        try {
            if (enterMetadata(wire)) {
                while (wire.next()) {
                    if (wire.tag() == RESOURCE_VERSION) {
                        version = wire.readText();
                    } else if (wire.tag() == ANNOTATIONS) {
                        int outer = wire.enter();
                        endsList |= isEndOfList(wire);
                        wire.leave(outer);
                    } else {
                        wire.skip();
                    }
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw malformed(e);
        }
        return new ObjectVersion(ResourceVersionReader.parse(version), endsList);
    }

    /** Parses the version of an object, and nothing after it. */
    static long versionOf(byte[] bytes, int from, int to) throws MalformedAnswerException {
        WireCursor wire = new WireCursor(bytes, from, to);
        try {
            if (enterMetadata(wire)) {
                while (wire.next()) {
                    if (wire.tag() == RESOURCE_VERSION) {
                        return parsed(wire.readText());
                    }
                    wire.skip();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw malformed(e);
        }
        return parsed("");
    }

    /** Enters an object's metadata, which the API server sends first. Returns false if there is none. */
    private static boolean enterMetadata(WireCursor wire) throws InvalidProtocolBufferException {
        while (wire.next()) {
            if (wire.tag() == METADATA) {
                int ignored = wire.enter();
                return true;
            }
            wire.skip();
        }
        return false;
    }

    private static long parsed(String version) throws MalformedAnswerException {
        if (!ResourceVersionReader.isValid(version)) {
            throw new MalformedAnswerException(
                    "the resourceVersion of an object " + ResourceVersionReader.wrong(version));
        }
        return ResourceVersionReader.parse(version);
    }

    private static MalformedAnswerException malformed(InvalidProtocolBufferException e) {
        return new MalformedAnswerException("object metadata is not valid protobuf: " + e.getMessage());
    }

    private static boolean isEndOfList(WireCursor wire) throws InvalidProtocolBufferException {
        String key = "";
        String value = "";
        while (wire.next()) {
            if (wire.tag() == KEY) {
                key = wire.readText();
            } else if (wire.tag() == VALUE) {
                value = wire.readText();
            } else {
                wire.skip();
            }
        }
        return key.equals(END_OF_LIST) && value.equals("true");
    }
}

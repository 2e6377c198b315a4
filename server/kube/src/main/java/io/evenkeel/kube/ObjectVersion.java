package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.v1.ObjectMeta;

/**
 * What of an object's metadata says how far a watch has got.
 *
 * @param resourceVersion empty where there is none
 * @param endsList whether the object is that of the bookmark after the initial events of a streaming list
 */
record ObjectVersion(String resourceVersion, boolean endsList) {
    private static final int METADATA = WireCursor.delimited(1);
    private static final int RESOURCE_VERSION = WireCursor.delimited(ObjectMeta.RESOURCE_VERSION_FIELD_NUMBER);
    private static final int ANNOTATIONS = WireCursor.delimited(12);
    private static final int KEY = WireCursor.delimited(1);
    private static final int VALUE = WireCursor.delimited(2);
    private static final String END_OF_LIST = "k8s.io/initial-events-end";

    /** Reads what a bookmark says. */
    static ObjectVersion of(byte[] bytes, int from, int to) throws MalformedAnswerException {
        return read(bytes, from, to, true);
    }

    /** Reads the version of an object that is no bookmark, without looking at what may be long. */
    static String versionOf(byte[] bytes, int from, int to) throws MalformedAnswerException {
        return read(bytes, from, to, false).resourceVersion();
    }

    /** Reads an object's metadata, which the API server sends first; the rest of the object is not looked at. */
    private static ObjectVersion read(byte[] bytes, int from, int to, boolean withAnnotations)
            throws MalformedAnswerException {
        WireCursor wire = new WireCursor(bytes, from, to);
        try {
            while (wire.next()) {
                if (wire.tag() == METADATA) {
                    int ignored = wire.enter();
                    return ofMetadata(wire, withAnnotations);
                }
                wire.skip();
            }
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedAnswerException("an object's metadata is not protobuf: " + e.getMessage());
        }
        return new ObjectVersion("", false);
    }

    private static ObjectVersion ofMetadata(WireCursor wire, boolean withAnnotations)
            throws InvalidProtocolBufferException {
        String version = "";
        boolean endsList = false;
        while (wire.next()) {
            if (wire.tag() == RESOURCE_VERSION) {
                version = wire.readText();
            } else if (wire.tag() == ANNOTATIONS && withAnnotations) {
                int outer = wire.enter();
                endsList |= isEndOfList(wire);
                wire.leave(outer);
            } else {
                wire.skip();
            }
        }
        return new ObjectVersion(version, endsList);
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

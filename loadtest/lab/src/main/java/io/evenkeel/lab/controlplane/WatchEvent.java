package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import io.evenkeel.lab.wire.ApiEvent;
import io.evenkeel.v1.Pod;
import java.io.IOException;

/**
 * A watch event.
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
 * @param object its bytes, without the envelope
 */
public record WatchEvent(String type, ByteString object) {
    /** The event in a frame, without the frame's length. */
    public static WatchEvent of(byte[] frame) throws IOException {
        ApiEvent event = ApiEvent.parseFrom(frame);
        return new WatchEvent(
                event.getType(), ObjectEnvelope.open(event.getObject().getRaw()));
    }

    /** The object's resourceVersion. Works for every kind, because all have their metadata in the same place. */
    public String version() throws IOException {
        return Pod.parseFrom(object).getMetadata().getResourceVersion();
    }
}

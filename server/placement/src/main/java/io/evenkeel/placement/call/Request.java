package io.evenkeel.placement.call;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.Freshness;

/** A request that a {@link Handler} has read. */
public interface Request {
    /** How new the state must be; the default instance accepts any state. */
    Freshness freshness();

    /** The id of the session to ask; empty for the live state. */
    String session();

    /** The bytes from which the request was read. */
    ByteString source();
}

package io.evenkeel.client.embedded;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.Transport;

/** A client stream to handlers in the same process. */
interface EmbeddedStream<Q extends MessageLite> extends Transport.Exchange<Q> {
    /** Ends the stream on behalf of the server. */
    void end(Throwable why);
}

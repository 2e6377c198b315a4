package io.evenkeel.placement.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.evenkeel.v1.Freshness;

/**
 * A request that is kept as its message.
 *
 * @param freshness that of the message
 * @param session that of the message
 */
public record ParsedRequest<M extends MessageLite>(M message, Freshness freshness, String session) implements Request {
    @Override
    public ByteString source() {
        return message.toByteString();
    }
}

package io.evenkeel.placement.answer;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.Request;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.v1.Freshness;
import java.util.function.Function;

/**
 * Handles requests that are kept as their messages, and whose answers take long. Checks that the state is ready and as
 * new as demanded. Thread-safe.
 *
 * @param <M> the messages
 * @param <A> the answers
 */
public abstract class MessageHandler<M extends Message, A> extends Handler<MessageHandler.Query<M>, A> {
    private final EngineAccess access;
    private final Parser<M> parser;
    private final Function<M, Freshness> freshness;
    private final Function<M, String> session;

    /**
     * A request.
     *
     * @param freshness that of the message
     * @param session that of the message
     */
    public record Query<M extends Message>(M message, Freshness freshness, String session) implements Request {
        @Override
        public ByteString source() {
            return message.toByteString();
        }
    }

    /**
     * @param freshness the field of the message
     * @param session the field of the message
     * @param sessions finds the handler of the same method in a session
     */
    protected MessageHandler(
            EngineAccess access,
            Parser<M> parser,
            Function<M, Freshness> freshness,
            Function<M, String> session,
            SessionLookup<? extends MessageHandler<M, A>> sessions) {
        super(access, sessions);
        this.access = access;
        this.parser = DiscardUnknownFieldsParser.wrap(parser);
        this.freshness = freshness;
        this.session = session;
    }

    public final Query<M> query(M message) {
        return new Query<>(message, freshness.apply(message), session.apply(message));
    }

    /** Answers or rejects a request that is given as a message. */
    public final void handleMessage(M message, Call<A> call) {
        handle(query(message), call);
    }

    @Override
    public final Query<M> read(byte[] request, StopSignal stop) throws InvalidProtocolBufferException {
        return query(parser.parseFrom(request));
    }

    @Override
    public final Prepared<A> prepare(Query<M> request) {
        access.requireReady();
        Prepared<A> prepared = prepare(request.message);
        return stop -> {
            access.requireReached(request.freshness);
            return prepared.answer(stop);
        };
    }

    /**
     * Validates a request.
     *
     * @throws RequestException if it is rejected
     */
    protected abstract Prepared<A> prepare(M message);
}

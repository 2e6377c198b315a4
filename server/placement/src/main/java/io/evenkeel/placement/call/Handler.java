package io.evenkeel.placement.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;

/**
 * Handles the queries of one method for all transports: waits until the state is as new as demanded, then answers short
 * queries immediately and long ones on the pool of the call.
 *
 * <pre>
 *   the state is as new as demanded ───► prepare ──► short ──► answer                     in this thread
 *                                                └─► long  ──► answer                     on a pool
 *   it is not ──► wait, without a thread ──────────► read again, prepare and answer       on a pool
 * </pre>
 *
 * <p>A request that names a session is passed to the handler of the same method in that session. That reads it again,
 * because its own caches belong to the state of the session.
 *
 * <p>A waiting query keeps only its bytes, because a parsed request can take over twenty times as much memory. The work
 * stops soon after the call is cancelled or its deadline has passed. Thread-safe.
 *
 * @param <Q> the requests
 * @param <A> the answers
 */
public abstract class Handler<Q extends Request, A> implements BytesReader<Q> {
    private final EngineAccess access;
    private final SessionLookup<? extends Handler<Q, A>> sessions;

    /** @param sessions finds the handler of the same method in a session */
    protected Handler(EngineAccess access, SessionLookup<? extends Handler<Q, A>> sessions) {
        this.access = access;
        this.sessions = sessions;
    }

    /**
     * Validates a request.
     *
     * @throws RequestException if it is rejected
     */
    public abstract Prepared<A> prepare(Q request);

    /** Answers or rejects a request, now or later. */
    public final void handle(Q request, Call<A> call) {
        access.recent().note();
        if (request.session().isEmpty()) {
            handleHere(request, call);
        } else {
            call.attempt(() -> {
                Handler<Q, A> own = sessions.find(request.session(), call.identity());
                own.readAndHandle(request.source(), call);
            });
        }
    }

    private void readAndHandle(ByteString source, Call<A> call) {
        byte[] bytes = source.toByteArray();
        try {
            Q request = readAtOnce(bytes);
            if (request == null) {
                call.pool().execute(() -> call.attempt(() -> handleHere(parse(bytes, call), call)), call::fail);
            } else {
                handleHere(request, call);
            }
        } catch (InvalidProtocolBufferException e) {
            throw RequestException.malformed(e);
        }
    }

    private void handleHere(Q request, Call<A> call) {
        if (access.isReached(request.freshness())) {
            call.attempt(() -> {
                Prepared<A> prepared = prepare(request);
                if (prepared.isShort()) {
                    call.answer(prepared.answer(StopSignal.NEVER));
                } else {
                    call.pool().execute(() -> answer(prepared, call), call::fail);
                }
            });
        } else {
            ByteString source = request.source();
            // Reads again what may have been evicted from caches meanwhile.
            access.whenReached(
                    request.freshness(),
                    source.size(),
                    call,
                    () -> call.answer(prepare(parse(source.toByteArray(), call)).answer(call)));
        }
    }

    private static <A> void answer(Prepared<A> prepared, Call<A> call) {
        call.attempt(() -> {
            call.check();
            call.answer(prepared.answer(call));
        });
    }
}

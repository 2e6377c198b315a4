package io.evenkeel.service;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A call as the transport sees it: whose it is, how many bytes of its messages are held for it, and since when the
 * other side has left something undone.
 *
 * <pre>
 *   bytes of a request as they come ─┐                              given back when the call ends,
 *                                    ├► charged to the budget ──►   on a stream when the message is answered,
 *   bytes of an answer ──────────────┘                              or when all answers are sent
 * </pre>
 *
 * <p>What finds no room is refused. A request that is refused gives its room back at once, though its bytes go a little
 * later: others that came with it are not to be refused in its place.
 *
 * <p>Bytes of requests come from the event loop alone, and on a stream no more of them before the last message is
 * answered. But a call may end while its message is answered by another thread: room is given back by whoever takes it
 * out of its counter.
 */
final class OpenCall extends ServerStreamTracer {
    private static final Context.Key<OpenCall> KEY = Context.key("evenkeel-open-call");

    /** What a call may hold without being counted: most requests are smaller. */
    private static final int FREE_BYTES = 4 << 10;

    private static final long NOTHING = Long.MIN_VALUE;

    /** What a slow but honest connection carries a second: so much longer a large message may take. */
    private static final long SLOWEST_BYTES_A_SECOND = 128 << 10;

    private final OpenCalls calls;
    private final ByteBudget budget;
    private final AtomicLong answerBytes = new AtomicLong();
    private Object connection = OpenCall.class;
    private boolean owesRequest;
    private boolean refused;
    private volatile Context.@Nullable CancellableContext context;
    private volatile long requestBytes;
    private final AtomicLong charged = new AtomicLong();
    private volatile boolean closed;

    /** When the request under way began; NOTHING where none is awaited. */
    private volatile long requestSince = NOTHING;

    /** When the last that is to be sent was given to the transport. */
    private volatile long endingSince = NOTHING;

    private volatile @Nullable GuardedCall<?, ?> call;
    private volatile @Nullable OrderedStream<?, ?> stream;

    OpenCall(OpenCalls calls, ByteBudget budget) {
        this.calls = calls;
        this.budget = budget;
    }

    /** The call that this thread works for. */
    static @Nullable OpenCall current() {
        return KEY.get();
    }

    /** Equal for calls of one connection. */
    Object connection() {
        return connection;
    }

    /** What to end by a status; from now on a caller that sends one request owes it. */
    void isServedBy(GuardedCall<?, ?> guarded, boolean owesRequest) {
        call = guarded;
        this.owesRequest = owesRequest;
        if (owesRequest) {
            requestSince = calls.now();
        }
    }

    /** The stream whose answers have to be read. */
    void answersOn(OrderedStream<?, ?> answers) {
        stream = answers;
    }

    /** Whether the stream says itself which messages are answered. */
    boolean isOrdered() {
        return stream != null;
    }

    @Override
    public Context filterContext(Context root) {
        Context.CancellableContext own = root.withCancellation();
        context = own;
        return own.withValue(KEY, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        connection = Objects.requireNonNullElse(info.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), connection);
    }

    // ---- requests

    @Override
    public void inboundMessage(int sequence) {
        if (requestSince == NOTHING) {
            requestSince = calls.now();
        }
    }

    @Override
    public void inboundMessageRead(int sequence, long wireSize, long size) {
        if (!owesRequest) {
            requestSince = NOTHING;
        }
    }

    @Override
    public void inboundWireSize(long bytes) {
        long all = requestBytes + bytes;
        requestBytes = all;
        charge(all);
    }

    private void charge(long bytes) {
        long more = bytes - FREE_BYTES - charged.get();
        if (more <= 0 || refused) {
            return;
        }
        if (budget.tryTake(more)) {
            charged.addAndGet(more);
        } else {
            refused = true;
            requestIsAnswered();
            calls.refusedBytes();
            end(Status.RESOURCE_EXHAUSTED.withDescription(noRoomFor("request")));
        }
    }

    private String noRoomFor(String what) {
        return "the requests and answers under way must take at most " + budget.most() + " bytes together, and this "
                + what + " is more than is left: ask again later";
    }

    /** The request was longer than it looked on the wire. */
    void inflatedTo(long bytes) {
        charge(bytes);
    }

    /** No more requests will come, and the last is there as a whole. */
    void requestIsThere() {
        requestSince = NOTHING;
    }

    /** The request under way is answered. */
    void requestIsAnswered() {
        requestBytes = 0;
        if (charged.get() > 0) {
            budget.giveBack(charged.getAndSet(0));
        }
    }

    // ---- answers

    /** Takes room for the call's answer; answers why there is none, or null. */
    @Nullable
    String takeAnswer(long bytes) {
        if (bytes > FREE_BYTES) {
            if (!budget.tryTake(bytes)) {
                calls.refusedBytes();
                return noRoomFor("answer");
            }
            hold(bytes);
        }
        return null;
    }

    /** Takes room for one of a stream's answers, whether there is some or not. */
    void addAnswer(long bytes) {
        if (bytes > FREE_BYTES) {
            budget.take(bytes);
            hold(bytes);
        }
    }

    /** Why there is no room for one more of a stream's answers; null where there is. */
    @Nullable
    String refusalOfAnswer(long bytes) {
        if (bytes <= FREE_BYTES || budget.hasRoom(bytes)) {
            return null;
        }
        calls.refusedBytes();
        return noRoomFor("answer");
    }

    private void hold(long bytes) {
        answerBytes.addAndGet(bytes);
        if (closed) {
            answersAreSent();
        }
    }

    /** No answer waits to be sent any more. */
    void answersAreSent() {
        if (answerBytes.get() > 0) {
            budget.giveBack(answerBytes.getAndSet(0));
        }
    }

    /** The last has been given to the transport. */
    void isEnding() {
        endingSince = calls.now();
    }

    @Override
    public void streamClosed(Status status) {
        closed = true;
        calls.remove(this);
        requestIsAnswered();
        answersAreSent();
    }

    // ---- time

    /** Ends the call where the other side has kept it waiting for too long. */
    void look(long now, long longest) {
        long ending = endingSince;
        if (ending != NOTHING) {
            if (now - ending > longest + timeFor(answerBytes.get())) {
                // Its status waits behind answers that nobody reads.
                calls.refusedStalled();
                cut("answers were not read for " + calls.stalledAfter());
            }
            return;
        }
        long request = requestSince;
        if (request != NOTHING && now - request > longest + timeFor(requestBytes)) {
            calls.refusedStalled();
            end(Status.DEADLINE_EXCEEDED.withDescription("a request must be sent whole within " + calls.stalledAfter()
                    + " and a second for each 128 KiB, this one was not"));
            return;
        }
        OrderedStream<?, ?> answers = stream;
        if (answers != null && answers.endIfUnread(longest + timeFor(answerBytes.get()), calls.stalledAfter())) {
            calls.refusedStalled();
        }
    }

    private static long timeFor(long bytes) {
        return TimeUnit.SECONDS.toNanos(1) * (bytes / SLOWEST_BYTES_A_SECOND);
    }

    private void end(Status status) {
        GuardedCall<?, ?> guarded = call;
        if (guarded == null) {
            cut(String.valueOf(status.getDescription()));
        } else {
            guarded.end(status);
        }
    }

    /** Resets the call as when its deadline passes, without waiting for what is still to be sent. */
    private void cut(String why) {
        Context.CancellableContext own = context;
        if (own != null) {
            own.cancel(new TimeoutException(why));
        }
    }
}

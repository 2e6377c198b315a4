package io.evenkeel.service;

import com.google.protobuf.MessageLite;
import io.evenkeel.access.Admission;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Context;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.micrometer.core.instrument.Timer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An open call at the transport level. It tracks its connection, the bytes of its messages that are held, and since
 * when the caller has left a request half sent or answers unread.
 *
 * <pre>
 *   bytes of a request as they arrive ─┐                            released when the call ends,
 *                                      ├► charged to the budget ──► on a stream when it is answered or the next begins,
 *   bytes of an answer ────────────────┘                            or, of answers, when all are sent
 * </pre>
 *
 * <p>A message that does not fit is rejected. A rejected request releases its room at once, although its bytes are
 * freed a little later: otherwise simultaneous requests would be rejected as well.
 *
 * <p>Only the event loop adds bytes of requests, and on a stream it adds none before the last message is answered. But
 * a call can end while another thread answers its message: the thread that takes the bytes out of the call's counter
 * releases them.
 */
final class OpenCall extends ServerStreamTracer {
    private static final Context.Key<OpenCall> KEY = Context.key("evenkeel-open-call");

    /** How many bytes a call can hold uncounted. Most requests are smaller. */
    private static final int FREE_BYTES = 4 << 10;

    private static final long NOTHING = Long.MIN_VALUE;

    /** The speed of a slow but honest connection. Large messages get additional time accordingly. */
    private static final long SLOWEST_BYTES_A_SECOND = 128 << 10;

    private final OpenCalls calls;
    private final ByteBudget budget;
    private final @Nullable Timer messageTimes;
    private final AtomicLong answerBytes = new AtomicLong();
    private Object connection = OpenCall.class;
    private boolean owesRequest;
    private boolean refused;
    private volatile Context.@Nullable CancellableContext context;
    private volatile long requestBytes;

    /** The bytes of the last request that has arrived completely. */
    private long lastBytes;

    private final AtomicLong charged = new AtomicLong();
    private volatile boolean closed;

    /** When the current request began to arrive; NOTHING if none is expected. */
    private volatile long requestSince = NOTHING;

    /** When the last message was passed to the transport. */
    private volatile long endingSince = NOTHING;

    private volatile @Nullable Guarded<?, ?> call;
    private volatile @Nullable AnsweredStream stream;

    /** The credentials that admitted the call; null if it needs none. */
    private volatile @Nullable Admission admission;

    /** @param messageTimes how long messages of such a stream take; null for other calls */
    OpenCall(OpenCalls calls, ByteBudget budget, @Nullable Timer messageTimes) {
        this.calls = calls;
        this.budget = budget;
        this.messageTimes = messageTimes;
    }

    /** The call that this thread is working on. */
    static @Nullable OpenCall current() {
        return KEY.get();
    }

    /**
     * Who makes a call: the subjects that access control knows the caller by. Without access control, all callers are
     * one.
     *
     * @param call null for calls without a stream tracer
     */
    static Object identity(@Nullable OpenCall call) {
        Admission shown = call == null ? null : call.admission;
        return shown == null ? OpenCall.class : shown.identity();
    }

    /** An object that is shared by exactly the calls of one connection. */
    Object connection() {
        return connection;
    }

    /** Returns the call for its service. If the caller sends one request, the time for it starts now. */
    <Q, A> Guarded<Q, A> guard(ServerCall<Q, A> served) {
        Guarded<Q, A> guarded = new Guarded<>(served);
        call = guarded;
        owesRequest = served.getMethodDescriptor().getType().clientSendsOneMessage();
        if (owesRequest) {
            requestSince = calls.now();
        }
        return guarded;
    }

    void isAdmittedBy(Admission shown) {
        admission = shown;
    }

    /** How long messages of the stream take; null for other calls. */
    @Nullable
    Timer messageTimes() {
        return messageTimes;
    }

    /** Sets the stream whose answers the caller must read. */
    void answersOn(AnsweredStream answers) {
        stream = answers;
    }

    @Override
    public Context filterContext(Context root) {
        Context.CancellableContext own = root.withCancellation();
        context = own;
        return own.withValue(KEY, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        connection = Objects.requireNonNullElse(info.getAttributes().get(Connections.CONNECTION), connection);
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
        lastBytes = wireSize;
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
            calls.refusals().count(RefusalMetrics.Why.BYTES);
            end(RequestException.tooBusy(noRoomFor("request")));
        }
    }

    private String noRoomFor(String what) {
        return "requests and answers in progress are limited to " + budget.most() + " bytes in total, and this " + what
                + " needs more than is left: retry later";
    }

    /** The bytes of the current request, inflated. Must be called by the thread that has read it. */
    long requestBytes() {
        return Math.max(requestBytes, lastBytes);
    }

    /** Counts a compressed request with its inflated length. */
    void inflatedTo(long bytes) {
        lastBytes = bytes;
        charge(bytes);
    }

    /** Called when the service receives another message of a stream, because it has handled the earlier ones. */
    void messageBegins() {
        requestBytes = lastBytes;
        long held = charged.get();
        long own = Math.max(0, lastBytes - FREE_BYTES);
        // This fails if the call has ended meanwhile and its room was released.
        if (held > own && charged.compareAndSet(held, own)) {
            budget.giveBack(held - own);
        }
    }

    /** Called when the last request has arrived completely. */
    void requestIsThere() {
        requestSince = NOTHING;
    }

    /** Called when the current request is answered. */
    void requestIsAnswered() {
        requestBytes = 0;
        if (charged.get() > 0) {
            budget.giveBack(charged.getAndSet(0));
        }
    }

    // ---- answers

    /** Reserves room for the call's answer. Returns why there is none, or null. */
    private @Nullable String takeAnswer(long bytes) {
        if (bytes > FREE_BYTES) {
            if (!budget.tryTake(bytes)) {
                calls.refusals().count(RefusalMetrics.Why.BYTES);
                return noRoomFor("answer");
            }
            hold(bytes);
        }
        return null;
    }

    /** Reserves room for an answer of a stream, even beyond the limit. */
    private void addAnswer(long bytes) {
        if (bytes > FREE_BYTES) {
            budget.take(bytes);
            hold(bytes);
        }
    }

    /** Why there is no room for another answer of a given size on the current call, a stream; null if there is room. */
    static IntFunction<@Nullable RequestException> refusalOfAnswers() {
        // Null for calls without a stream tracer.
        OpenCall open = current();
        return size -> open == null ? null : open.refusalOfAnswer(size);
    }

    private @Nullable RequestException refusalOfAnswer(long bytes) {
        if (bytes <= FREE_BYTES || budget.hasRoom(bytes)) {
            return null;
        }
        calls.refusals().count(RefusalMetrics.Why.BYTES);
        return RequestException.tooBusy(noRoomFor("answer"));
    }

    private void hold(long bytes) {
        answerBytes.addAndGet(bytes);
        if (closed) {
            answersAreSent();
        }
    }

    /** Called when all answers are sent. */
    private void answersAreSent() {
        if (answerBytes.get() > 0) {
            budget.giveBack(answerBytes.getAndSet(0));
        }
    }

    /** Releases the room of all answers, unless some are still to be sent. */
    void giveBackWhatIsSent() {
        Guarded<?, ?> guarded = call;
        if (guarded != null) {
            guarded.giveBackWhatIsSent();
        }
    }

    @Override
    public void streamClosed(Status status) {
        closed = true;
        calls.remove(this);
        requestIsAnswered();
        answersAreSent();
    }

    // ---- time

    /** Ends the call if the caller has kept it waiting for too long or has lost the right to it. */
    void check(long now, long longest) {
        long ending = endingSince;
        if (ending != NOTHING) {
            if (now - ending > longest + timeFor(answerBytes.get())) {
                // A status would be queued behind the unread answers.
                calls.refusals().count(RefusalMetrics.Why.STALLED);
                cut("answers were not read for " + calls.stalledAfter());
            }
            return;
        }
        Admission shown = admission;
        RequestException lost = shown == null ? null : shown.judgeAgain();
        if (lost != null) {
            calls.refusals().count(RefusalMetrics.Why.ACCESS);
            end(lost);
            return;
        }
        long request = requestSince;
        if (request != NOTHING && now - request > longest + timeFor(requestBytes)) {
            calls.refusals().count(RefusalMetrics.Why.STALLED);
            end(RequestException.of(
                    ErrorReason.ERROR_REASON_REQUEST_STALLED,
                    "the request was not sent completely within " + calls.stalledAfter()
                            + " plus a second for each 128 KiB"));
            return;
        }
        AnsweredStream answers = stream;
        if (answers != null && answers.endIfUnread(longest + timeFor(answerBytes.get()), calls.stalledAfter())) {
            calls.refusals().count(RefusalMetrics.Why.STALLED);
        }
    }

    private static long timeFor(long bytes) {
        return TimeUnit.SECONDS.toNanos(1) * (bytes / SLOWEST_BYTES_A_SECOND);
    }

    /** Whether it is known to be unary. */
    boolean isUnary() {
        Guarded<?, ?> guarded = call;
        return guarded != null && guarded.unary;
    }

    /** Ends the call if it is a stream, because the server stops. */
    void endIfStream() {
        Guarded<?, ?> guarded = call;
        if (guarded == null || guarded.unary) {
            return;
        }
        RequestException stopping = RequestException.stopping("open another stream");
        AnsweredStream answers = stream;
        if (answers == null) {
            guarded.end(stopping);
        } else {
            answers.end(stopping);
        }
    }

    /** Ends the call even if its service is still working on it, because the server stops. */
    void endAsServerStops() {
        end(RequestException.stopping("call again"));
    }

    private void end(RequestException refused) {
        Guarded<?, ?> guarded = call;
        if (guarded == null) {
            cut(refused.getMessage());
        } else {
            guarded.end(refused);
        }
    }

    /** Resets the call, as if its deadline had passed, without waiting for messages that are still to be sent. */
    private void cut(String why) {
        Context.CancellableContext own = context;
        if (own != null) {
            own.cancel(new TimeoutException(why));
        }
    }

    /**
     * The call as its service sees it, which the server can end while the service is still answering it. Anything that
     * the service sends after that, or after the caller has cancelled the call, is dropped. Its lock orders what is
     * sent. Thread-safe.
     */
    final class Guarded<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
        /**
         * Whether an answer can be replaced by an error for lack of room. False for calls that change the state,
         * because the caller must receive the result, and for streams, because they continue.
         */
        private final boolean mayRefuseAnswer;

        /** Whether each message that is sent answers one of the caller's. */
        private final boolean answersMessages;

        private final boolean unary;

        private volatile boolean ended;

        /**
         * Whether the status is passed to the transport, by the service or the server. Guarded by this object's lock.
         */
        private boolean hasStatus;

        private Guarded(ServerCall<Q, A> call) {
            super(call);
            MethodDescriptor<Q, A> method = call.getMethodDescriptor();
            answersMessages =
                    !method.getType().clientSendsOneMessage() && !OpenCalls.isWatch(method.getFullMethodName());
            unary = method.getType() == MethodDescriptor.MethodType.UNARY;
            mayRefuseAnswer =
                    method.getType().serverSendsOneMessage() && !OpenCalls.isWrite(method.getFullMethodName());
        }

        /** Ends the call with an error, unless the service has already ended it. */
        synchronized void end(RequestException refused) {
            if (hasStatus) {
                return;
            }
            ended = true;
            StatusErrors.close(this, refused);
        }

        /** Whether the server has ended the call. */
        boolean isEnded() {
            return ended;
        }

        @Override
        public synchronized void sendHeaders(Metadata headers) {
            if (!isCancelled()) {
                super.sendHeaders(headers);
            }
        }

        @Override
        public synchronized void sendMessage(A message) {
            if (isCancelled()) {
                return;
            }
            String refusal = null;
            if (mayRefuseAnswer) {
                refusal = takeAnswer(size(message));
            } else {
                addAnswer(size(message));
            }
            if (refusal == null) {
                super.sendMessage(message);
                if (answersMessages) {
                    requestIsAnswered();
                }
            } else {
                end(RequestException.tooBusy(refusal));
            }
        }

        /** Releases the room of all answers, unless some are still to be sent. */
        synchronized void giveBackWhatIsSent() {
            if (isReady()) {
                answersAreSent();
            }
        }

        /** The size of a message in bytes, as it will be sent. */
        private static long size(Object message) {
            return message instanceof ResponseBytes bytes ? bytes.size() : ((MessageLite) message).getSerializedSize();
        }

        @Override
        public synchronized void close(Status status, Metadata trailers) {
            if (!hasStatus) {
                hasStatus = true;
                endingSince = calls.now();
                if (!status.isOk()) {
                    calls.errors().count(status, trailers);
                }
                // The caller no longer waits for it, and the thread that would send it may be gone with its server.
                if (!super.isCancelled()) {
                    super.close(status, trailers);
                }
            }
        }

        @Override
        public boolean isCancelled() {
            return ended || super.isCancelled();
        }
    }
}

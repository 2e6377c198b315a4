package io.evenkeel.service;

import com.google.protobuf.MessageLite;
import io.evenkeel.placement.answer.ResponseBytes;
import io.evenkeel.placement.call.RequestException;
import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;

/**
 * A call that the server can end while its service is still answering it. Anything that the service sends after that,
 * or after the caller has cancelled the call, is dropped. Thread-safe.
 */
final class GuardedCall<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
    private final OpenCall open;

    /**
     * Whether an answer can be replaced by an error for lack of room. False for calls that change the state, because
     * the caller must receive the result, and for streams, because they continue.
     */
    private final boolean mayRefuseAnswer;

    /** Whether each message that is sent answers one of the caller's. */
    private final boolean answersMessages;

    private final boolean unary;

    private volatile boolean ended;
    private boolean closed;

    GuardedCall(ServerCall<Q, A> call, OpenCall open) {
        super(call);
        this.open = open;
        MethodDescriptor<Q, A> method = call.getMethodDescriptor();
        answersMessages = !method.getType().clientSendsOneMessage() && !OpenCalls.isWatch(method.getFullMethodName());
        unary = method.getType() == MethodDescriptor.MethodType.UNARY;
        mayRefuseAnswer = method.getType().serverSendsOneMessage() && !OpenCalls.isWrite(method.getFullMethodName());
    }

    /** Ends the call with an error, unless the service has already ended it. */
    synchronized void end(RequestException refused) {
        if (closed) {
            return;
        }
        ended = true;
        StatusErrors.close(this, refused);
    }

    boolean isUnary() {
        return unary;
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
            refusal = open.takeAnswer(size(message));
        } else {
            open.addAnswer(size(message));
        }
        if (refusal == null) {
            super.sendMessage(message);
            if (answersMessages) {
                open.requestIsAnswered();
            }
        } else {
            end(RequestException.tooBusy(refusal));
        }
    }

    /** Releases the room of all answers, unless some are still to be sent. */
    synchronized void giveBackWhatIsSent() {
        if (isReady()) {
            open.answersAreSent();
        }
    }

    /** The size of a message in bytes, as it will be sent. */
    private static long size(Object message) {
        return message instanceof ResponseBytes bytes ? bytes.size() : ((MessageLite) message).getSerializedSize();
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
        if (!closed) {
            closed = true;
            open.isEnding();
            if (!status.isOk()) {
                open.isRefused(status, trailers);
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

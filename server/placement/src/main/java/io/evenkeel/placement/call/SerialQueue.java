package io.evenkeel.placement.call;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages one at a time, and answers them in order: those of a stream, or the events of a call. A message is
 * handled by the thread that adds it or, if an earlier message is still unanswered, by the thread that answers that
 * one.
 *
 * <pre>
 *   waiting   c, d                 the caller limits how many
 *   current   b                    being handled, or waiting for its answer
 *   answered  a                    delivered to the outlet before b was handled
 * </pre>
 *
 * <p>The thread that sets {@link #busy} is the only one to handle messages and deliver answers until it clears the
 * flag. Thread-safe.
 */
public final class SerialQueue<Q, A> {
    /** Answers the messages, one at a time. */
    public interface MessageHandler<Q, A> {
        /**
         * Handles a message. {@code call} receives the answer now or later, from any thread. A failure ends the queue.
         */
        void handle(Q message, Call<A> call);
    }

    /** Receives the answers of the stream. Called by one thread at a time. */
    public interface Outlet<A> {
        /** Delivers the answer to the oldest unanswered message. */
        void answered(A answer);

        /**
         * Called once, at the end of the stream; nothing is called after it.
         *
         * @param failure null if every message was answered
         */
        void ended(@Nullable Throwable failure);

        /** How long a message may wait for a newer state. */
        default Duration patience() {
            throw new UnsupportedOperationException("the messages of this queue wait for nothing");
        }

        /** Who sends the messages; see {@link Call#identity}. */
        default Object identity() {
            throw new UnsupportedOperationException("the messages of this queue use no sessions");
        }

        /** Runs the long work of messages. */
        default TaskPool pool() {
            throw new UnsupportedOperationException("the handler of this queue chooses the pool");
        }
    }

    private final MessageHandler<Q, A> handler;
    private final Outlet<A> outlet;
    private final Queue<Q> waiting = new ArrayDeque<>();
    private @Nullable Turn current;
    private volatile @Nullable Throwable failure;
    private boolean busy;
    private boolean finished;
    private boolean isEnded;

    public SerialQueue(MessageHandler<Q, A> handler, Outlet<A> outlet) {
        this.handler = handler;
        this.outlet = outlet;
    }

    /** Adds the next message. */
    public void add(Q message) {
        synchronized (this) {
            if (isEnded || failure != null) {
                return;
            }
            waiting.add(message);
        }
        proceed();
    }

    /** Ends the stream once all messages are answered. No more messages may be added. */
    public void finish() {
        synchronized (this) {
            finished = true;
        }
        proceed();
    }

    /**
     * Ends the stream early: cancels the work on the current message without waiting for it, and drops waiting
     * messages. Returns false if the stream has ended or is already ending.
     */
    public boolean end(Throwable why) {
        Turn underWay;
        synchronized (this) {
            if (isEnded || failure != null) {
                return false;
            }
            failure = why;
            underWay = current;
        }
        if (underWay != null) {
            underWay.abandon();
        }
        proceed();
        return true;
    }

    /** Handles the waiting messages unless another thread is doing so. */
    private void proceed() {
        while (true) {
            Q message;
            @Nullable Turn next;
            synchronized (this) {
                if (busy || isEnded) {
                    return;
                }
                message = failure == null ? waiting.poll() : null;
                if (message == null && failure == null && !finished) {
                    return;
                }
                busy = true;
                isEnded = message == null;
                next = message == null ? null : new Turn();
                current = next;
            }
            if (message == null || next == null) {
                waiting.clear();
                outlet.ended(failure);
                return;
            }
            try {
                handler.handle(message, next);
            } catch (RuntimeException e) {
                next.fail(e);
            } catch (Error e) {
                // The error ends this thread, so the stream must end too.
                next.fail(e);
                if (isFreeAfter(next)) {
                    proceed();
                }
                throw e;
            }
            if (!isFreeAfter(next)) {
                // The thread that delivers the answer continues.
                return;
            }
        }
    }

    /** True if the next message can follow one whose handler has returned. */
    private synchronized boolean isFreeAfter(Turn handled) {
        handled.handled = true;
        return handled.done || handled.abandonWork();
    }

    /** The call of one message. */
    private final class Turn implements Call<A> {
        /** Whether the handler has returned. */
        private boolean handled;

        /** Whether a thread is delivering the answer. */
        private boolean delivering;

        private boolean done;
        private @Nullable Runnable atEnd;

        @Override
        public void answer(A answer) {
            synchronized (SerialQueue.this) {
                delivering = failure == null && !done;
            }
            if (delivering) {
                try {
                    outlet.answered(answer);
                } catch (RuntimeException e) {
                    abort(e);
                } catch (Error e) {
                    fail(e);
                    throw e;
                }
            }
            proceedAfter();
        }

        @Override
        public void fail(Throwable why) {
            abort(why);
            proceedAfter();
        }

        private void abort(Throwable why) {
            synchronized (SerialQueue.this) {
                if (failure == null && !done) {
                    failure = why;
                }
            }
        }

        private void proceedAfter() {
            boolean mayProceed;
            synchronized (SerialQueue.this) {
                if (done) {
                    return;
                }
                release();
                mayProceed = handled;
            }
            if (mayProceed) {
                proceed();
            }
        }

        private void release() {
            done = true;
            busy = false;
            current = null;
        }

        /**
         * If the stream is ending and this message is still waiting for work elsewhere, gives up on its answer.
         * Otherwise the stream would end only after that work, or never if it is dropped. Returns whether it gave up.
         * The lock must be held.
         */
        private boolean abandonWork() {
            if (failure == null || !handled || delivering || done) {
                return false;
            }
            release();
            return true;
        }

        @Override
        public boolean isStopped() {
            return failure != null;
        }

        @Override
        public void onStop(Runnable action) {
            synchronized (SerialQueue.this) {
                if (failure == null) {
                    atEnd = action;
                    return;
                }
            }
            action.run();
        }

        @Override
        public Duration patience() {
            return outlet.patience();
        }

        @Override
        public Object identity() {
            return outlet.identity();
        }

        @Override
        public TaskPool pool() {
            return outlet.pool();
        }

        void abandon() {
            Runnable action;
            synchronized (SerialQueue.this) {
                action = atEnd;
                abandonWork();
            }
            if (action != null) {
                action.run();
            }
        }
    }
}

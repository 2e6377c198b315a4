package io.evenkeel.placement.call;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of one stream one at a time, and answers them in order. A message is handled by the thread that
 * adds it or, if an earlier message is still unanswered, by the thread that answers that one.
 *
 * <p>The thread that sets {@link #busy} is the only one to handle messages and deliver answers until it clears the
 * flag. Callers must limit the number of waiting messages. Thread-safe.
 */
public final class OrderedMessages<Q, A> {
    /** Answers the messages, one at a time. */
    public interface Handler<Q, A> {
        /**
         * Handles a message. {@code recipient} receives the answer now or later, from any thread. A failure ends the
         * stream.
         */
        void handle(Q message, Recipient<A> recipient);
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
    }

    private final Handler<Q, A> handler;
    private final Outlet<A> outlet;
    private final Queue<Q> waiting = new ArrayDeque<>();
    private @Nullable Message current;
    private volatile @Nullable Throwable failure;
    private boolean busy;
    private boolean finished;
    private boolean over;

    public OrderedMessages(Handler<Q, A> handler, Outlet<A> outlet) {
        this.handler = handler;
        this.outlet = outlet;
    }

    /** Adds the next message. */
    public void add(Q message) {
        synchronized (this) {
            if (over || failure != null) {
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
        Message underWay;
        synchronized (this) {
            if (over || failure != null) {
                return false;
            }
            failure = why;
            underWay = current;
        }
        if (underWay != null) {
            underWay.giveUp();
        }
        proceed();
        return true;
    }

    /** Handles the waiting messages unless another thread is doing so. */
    private void proceed() {
        while (true) {
            Q message;
            @Nullable Message next;
            synchronized (this) {
                if (busy || over) {
                    return;
                }
                message = failure == null ? waiting.poll() : null;
                if (message == null && failure == null && !finished) {
                    return;
                }
                busy = true;
                over = message == null;
                next = message == null ? null : new Message();
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
                next.failed(e);
            } catch (Error e) {
                // The error ends this thread, so the stream must end too.
                next.failed(e);
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
    private synchronized boolean isFreeAfter(Message handled) {
        handled.handled = true;
        return handled.told || handled.giveUpOnWork();
    }

    /** The recipient of the answer to one message. */
    private final class Message implements Recipient<A> {
        /** Whether the handler has returned. */
        private boolean handled;

        /** Whether a thread is delivering the answer. */
        private boolean delivering;

        private boolean told;
        private @Nullable Runnable atEnd;

        @Override
        public void answered(A answer) {
            synchronized (OrderedMessages.this) {
                delivering = failure == null && !told;
            }
            if (delivering) {
                try {
                    outlet.answered(answer);
                } catch (RuntimeException e) {
                    fail(e);
                } catch (Error e) {
                    failed(e);
                    throw e;
                }
            }
            proceedAfter();
        }

        @Override
        public void failed(Throwable why) {
            fail(why);
            proceedAfter();
        }

        private void fail(Throwable why) {
            synchronized (OrderedMessages.this) {
                if (failure == null && !told) {
                    failure = why;
                }
            }
        }

        private void proceedAfter() {
            boolean goesOn;
            synchronized (OrderedMessages.this) {
                if (told) {
                    return;
                }
                release();
                goesOn = handled;
            }
            if (goesOn) {
                proceed();
            }
        }

        private void release() {
            told = true;
            busy = false;
            current = null;
        }

        /**
         * If the stream is ending and this message is still waiting for work elsewhere, gives up on its answer.
         * Otherwise the stream would end only after that work, or never if it is dropped. Returns whether it gave up.
         * The lock must be held.
         */
        private boolean giveUpOnWork() {
            if (failure == null || !handled || delivering || told) {
                return false;
            }
            release();
            return true;
        }

        @Override
        public boolean isOver() {
            return failure != null;
        }

        @Override
        public void whenOver(Runnable action) {
            synchronized (OrderedMessages.this) {
                if (failure == null) {
                    atEnd = action;
                    return;
                }
            }
            action.run();
        }

        void giveUp() {
            Runnable action;
            synchronized (OrderedMessages.this) {
                action = atEnd;
                giveUpOnWork();
            }
            if (action != null) {
                action.run();
            }
        }
    }
}

package io.evenkeel.placement.call;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Handles the messages of one stream one after another, and answers them in order. The thread that adds a message
 * handles it. If an earlier message is not answered yet, the thread that answers that one does.
 *
 * <p>The thread that sets {@link #busy} is the only one that handles messages and delivers answers, until it clears it.
 * Callers must bound how many messages can wait. Safe for use by several threads.
 */
public final class OrderedMessages<Q, A> {
    /** Answers the messages, one at a time. */
    public interface Handler<Q, A> {
        /**
         * Handles a message. {@code recipient} gets the answer now or later, from any thread. A failure ends the
         * stream.
         */
        void handle(Q message, Recipient<A> recipient);
    }

    /** The other side of the stream, which gets the answers. One thread at a time calls it. */
    public interface Outlet<A> {
        /** Delivers the answer to the oldest message without one. */
        void answered(A answer);

        /**
         * Called once, at the end of the stream; nothing is called after it.
         *
         * @param failure null where every message was answered
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

    /** No more messages will come: the stream ends when all are answered. */
    public void finish() {
        synchronized (this) {
            finished = true;
        }
        proceed();
    }

    /**
     * Ends the stream early: the work on the current message is stopped, but not waited for, and waiting messages are
     * dropped. Returns false where the stream had ended or was ending already.
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

    /** Handles the waiting messages, unless another thread does already. */
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
                // The thread ends with it; the stream must end too.
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

    /** Whether the next message may follow one that the handler has left. */
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
         * Where the stream is ending and only work elsewhere would answer this message, lets the stream end without it.
         * Otherwise the end would come as late as that work, or never where it is not done. Returns whether it did. The
         * lock must be held.
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

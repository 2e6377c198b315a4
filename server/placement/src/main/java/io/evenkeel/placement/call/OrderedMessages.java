package io.evenkeel.placement.call;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one stream, handled one after the other and answered in order. A message is handled by the thread
 * that brings it, unless an earlier one is not answered yet; then by the thread that answers that one.
 *
 * <p>Whoever sets {@link #busy} is the only one that handles and tells, until it clears it. How many messages can wait
 * is for those to bound who bring them. Safe for use by several threads.
 */
public final class OrderedMessages<Q, A> {
    /** Answers one message at a time. */
    public interface Handler<Q, A> {
        /** Tells {@code recipient} of the answer, now or later, by any thread. What fails ends the stream. */
        void handle(Q message, Recipient<A> recipient);
    }

    /** The other side of the stream. Told by one thread at a time. */
    public interface Outlet<A> {
        /** The oldest message that has no answer yet is answered. */
        void answered(A answer);

        /**
         * The stream is over. Told once, and of nothing afterwards.
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

    /** Brings the next message. */
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
     * Ends the stream early: the message under way is given up, those that wait are forgotten. Answers whether it was
     * not over or ending before.
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

    /** Handles what waits, unless somebody does already. */
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
            }
            synchronized (this) {
                next.handled = true;
                if (!next.told) {
                    // Whoever tells the answer goes on.
                    return;
                }
            }
        }
    }

    /** Who waits for the answer to one message. */
    private final class Message implements Recipient<A> {
        /** Whether the handler is back. */
        private boolean handled;

        private boolean told;
        private @Nullable Runnable atEnd;

        @Override
        public void answered(A answer) {
            if (failure == null) {
                try {
                    outlet.answered(answer);
                } catch (RuntimeException e) {
                    fail(e);
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
                told = true;
                busy = false;
                current = null;
                goesOn = handled;
            }
            if (goesOn) {
                proceed();
            }
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
            }
            if (action != null) {
                action.run();
            }
        }
    }
}

package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * Follows one kind of objects, in a thread of its own, until it is closed.
 *
 * <pre>
 *   no version ──► list: streaming, or else in pages ──► version ──► watch from it ──► version of the last event
 *       ▲                                                                │
 *       └── 410, what cannot be read, an API server whose state is older, or a state that lacks something
 * </pre>
 *
 * <p>Every end of a connection leads back to the watch from the last version, or to a list where there is none
 * ({@link ListWatch}). How an attempt ended says whether the next one waits ({@link AttemptOutcome}).
 *
 * <p>A state that had no room for something lacks that until the next list, and does not tell its version, though there
 * may be room again. So the kind is listed anew after a while, and less often where there is still no room
 * ({@link RoomRetry}).
 *
 * <p>{@link #run} belongs to the thread of the feed. Everything else may be called by any thread, and
 * {@link #askWhereQuiet} by one at a time.
 */
final class KindFeed implements Runnable, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KindFeed.class.getName());

    private final ObjectKind kind;
    private final SharedClient client;
    private final KindWriter writer;
    private final FeedTiming timing;
    private final PhaseReport report;
    private final QuietWatch quiet;
    private final ListWatch listWatch;

    /** Of the thread of the feed alone. */
    private final RetryWaits waits;

    /** The last attempt. Written by the thread of the feed, and read by that of whoever takes the kind over. */
    private volatile Attempt attempt = new Attempt(Instant.EPOCH, false);

    private volatile boolean closed;

    KindFeed(ObjectKind kind, SharedClient client, KindWriter writer, KubeFeedListener listener, FeedTiming timing) {
        this.kind = kind;
        this.client = client;
        this.writer = writer;
        this.timing = timing;
        this.report = new PhaseReport(kind, timing.clock(), writer, listener);
        this.quiet = new QuietWatch(timing.quiet(), System::nanoTime);
        this.listWatch = new ListWatch(kind, client, writer, timing, report, quiet);
        this.waits = new RetryWaits(timing);
        writer.whenTakenOver(why -> attempt.giveUp(why));
    }

    @Override
    public void run() {
        try {
            boolean told = false;
            while (!closed) {
                try {
                    if (!told) {
                        told = true;
                        report.connecting();
                    }
                    follow();
                } catch (RuntimeException | Error e) {
                    // Of the listener, say. Without this thread the kind would never be followed again.
                    LOG.log(System.Logger.Level.ERROR, "the feed of " + kind + " failed, and goes on", e);
                    timing.pause().last(timing.longestWait());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            writer.close();
            report.stopped();
        }
    }

    /** Opens one list or watch, and returns at its end, after a wait where it failed. */
    private void follow() throws InterruptedException {
        boolean resumes = listWatch.version() != 0 && !attempt.isListed();
        Attempt current = new Attempt(timing.clock().instant(), resumes);
        attempt = current;
        if (closed) {
            // Whoever closed it may have given up the attempt before.
            return;
        }
        Exception failure = null;
        try {
            listWatch.run(current);
        } catch (IOException | ConfigurationException | RuntimeException e) {
            failure = e;
        } catch (Error e) {
            // No memory for a thread, say. The next attempt may succeed, and without this thread there is none.
            failure = new IllegalStateException(e);
        }
        if (!closed) {
            goOnAfter(current.outcome(failure, timing.clock().instant()));
        }
    }

    private void goOnAfter(AttemptOutcome outcome) throws InterruptedException {
        Duration wait = waits.after(outcome);
        switch (outcome.decision()) {
            case GO_ON -> {}
            case GO_ON_AFTER_CUT -> {
                // All is well, so nobody is told.
                if (!wait.isZero()) {
                    timing.pause().last(wait);
                }
            }
            case WAIT_AFTER_CUT, WAIT -> tellAndWait(outcome.problem(), wait);
            case LIST_ANEW -> {
                listWatch.forgetVersion();
                tellAndWait(outcome.problem(), wait);
            }
        }
    }

    private void tellAndWait(Exception problem, Duration wait) throws InterruptedException {
        report.waiting(Problems.text(kind, client.server(), problem));
        timing.pause().last(wait);
        report.connecting();
    }

    /**
     * Asks the API server how far it is, where the watch has said nothing for a while. It asks etcd then, and has
     * bookmarks for the watches of this kind afterwards. Where nothing changes in a kind and nobody asks, it has none,
     * unless etcd tells by itself.
     */
    void askWhereQuiet() {
        if (!quiet.isDue(report.isWatching())) {
            return;
        }
        try {
            long unused = PagedList.version(client, ApiResource.path(kind));
        } catch (InterruptedException e) {
            // The feed is closed.
            Thread.currentThread().interrupt();
        } catch (IOException | ConfigurationException | RuntimeException | Error e) {
            // The watch tells what is wrong. If an error were thrown, nobody would be asked again.
        }
    }

    /** The version from which the next watch begins; 0 where a list must come first. */
    long version() {
        return listWatch.version();
    }

    /** Ends the feed soon; its thread must be interrupted, and its client closed. */
    @Override
    public void close() {
        closed = true;
        attempt.giveUp(new IllegalStateException("the feed was closed"));
    }
}

package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/**
 * Follows one kind of objects in its own thread until it is closed.
 *
 * <pre>
 *   no version ──► list: streaming, else paged ──► version ──► watch from it ──► version of the last event
 *       ▲                                                                │
 *       └── 410, malformed data, an API server whose state is older, or a state that only a list corrects
 * </pre>
 *
 * <p>When a connection ends, the feed watches again from the last version, or lists if there is none
 * ({@link ListWatch}). How the attempt ended decides whether the next one waits ({@link AttemptOutcome}).
 *
 * <p>An object skipped for lack of room is missing until the next list, and changes by others last until then. Until
 * then the instance reports no version for the kind. So the kind is relisted after a while, and less and less often if
 * that does not help ({@link RelistWait}).
 *
 * <p>Only the feed thread calls {@link #run}. Any thread may call the other methods, but only one at a time may call
 * {@link #askWhereQuiet}.
 */
final class KindFeed implements Runnable, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KindFeed.class.getName());

    private final ObjectKind kind;
    private final SharedClient client;
    private final KindWriter writer;
    private final FeedTiming timing;
    private final PhaseReport report;
    private final WatchKeepAlive quiet;
    private final ListWatch listWatch;

    /** Accessed only by the feed thread. */
    private final RetryWaits waits;

    /** The last attempt. Written by the feed thread, and read by the thread of a feeder that takes over the kind. */
    private volatile Attempt attempt = new Attempt(Instant.EPOCH, false);

    private volatile boolean closed;

    KindFeed(ObjectKind kind, SharedClient client, KindWriter writer, KubeFeedListener listener, FeedTiming timing) {
        this.kind = kind;
        this.client = client;
        this.writer = writer;
        this.timing = timing;
        this.report = new PhaseReport(kind, timing.clock(), writer, listener);
        this.quiet = new WatchKeepAlive(timing.quiet(), System::nanoTime);
        this.listWatch = new ListWatch(kind, client, writer, timing, report, quiet);
        this.waits = new RetryWaits(timing);
        writer.whenTakenOver(why -> attempt.giveUp(why));
    }

    @Override
    public void run() {
        try {
            boolean logged = false;
            while (!closed) {
                try {
                    if (!logged) {
                        logged = true;
                        report.connecting();
                    }
                    follow();
                } catch (RuntimeException | Error e) {
                    // For example from the listener. Without this thread the kind would never be followed again.
                    LOG.log(System.Logger.Level.ERROR, ApiResource.plural(kind) + " feed failed; retrying", e);
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

    /** Runs one list or watch until it ends, and waits afterwards if it failed. */
    private void follow() throws InterruptedException {
        boolean resumes = listWatch.version() != 0 && !attempt.isListed();
        Attempt current = new Attempt(timing.clock().instant(), resumes);
        attempt = current;
        if (closed) {
            // close() may have given up only the previous attempt.
            return;
        }
        Exception failure = null;
        try {
            listWatch.run(current);
        } catch (IOException | RuntimeException e) {
            failure = e;
        } catch (Error e) {
            // For example no memory for a new thread. The next attempt may succeed, so this thread must survive.
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
                // Nothing is wrong, so nothing is reported.
                if (!wait.isZero()) {
                    timing.pause().last(wait);
                }
            }
            case WAIT_AFTER_CUT, WAIT -> reportAndWait(outcome.problem(), wait);
            case LIST_ANEW -> {
                listWatch.forgetVersion();
                reportAndWait(outcome.problem(), wait);
            }
        }
    }

    private void reportAndWait(Exception problem, Duration wait) throws InterruptedException {
        report.waiting(FailureText.text(kind, client.server(), problem));
        timing.pause().last(wait);
        report.connecting();
    }

    /**
     * Asks the API server for its current version if the watch has been silent for a while. The API server then asks
     * etcd, and sends bookmarks to the watches of this kind afterwards. For a kind that does not change it has no
     * bookmarks unless it is asked or etcd reports progress.
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
        } catch (IOException | RuntimeException | Error e) {
            // The watch reports what is wrong. An exception here would cancel the periodic task.
        }
    }

    /** The version from which the next watch begins; 0 if a list must come first. */
    long version() {
        return listWatch.version();
    }

    /** Asks the feed to end. The caller must also interrupt its thread and close its client. */
    @Override
    public void close() {
        closed = true;
        attempt.giveUp(new IllegalStateException("the feed was closed"));
    }
}

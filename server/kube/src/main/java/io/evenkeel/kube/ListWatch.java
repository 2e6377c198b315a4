package io.evenkeel.kube;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.AnswerListener;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.ApiStatus;
import io.evenkeel.kube.client.MalformedAnswerException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;

/**
 * Lists or watches one kind of objects, as far as one attempt gets, and applies what arrives. Remembers the version
 * from which the next watch continues.
 *
 * <p>That is the version of the last event or bookmark that was applied, so no event is lost. A repeated event changes
 * nothing, because its object is not newer than the stored one. A list is applied as a snapshot of the kind, so it
 * changes only what differs.
 *
 * <p>An API server whose etcd was restored from a backup accepts watches from versions that it no longer has, and
 * silently skips all events up to them. So before a watch resumes, the server is asked for its current version.
 *
 * <p>The feed thread makes one attempt after another. While it waits, one thread of the client reads and applies bytes,
 * and reads more only after applying these. Any thread may read the version.
 */
final class ListWatch {
    private static final String WATCH = "application/vnd.kubernetes.protobuf;stream=watch";
    private static final String STREAMING_LIST =
            "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /** A proxy may end connections too early for a streaming list. */
    private static final int MAX_CUT_STREAMS = 2;

    /** The API server may be unable to read an event after the version. A list may not need that event. */
    private static final int MAX_FAILED_WATCHES = 3;

    private final ObjectKind kind;
    private final SharedClient client;
    private final String path;
    private final KindWriter writer;
    private final FeedTiming timing;
    private final PhaseReport report;
    private final WatchKeepAlive quiet;

    /** Accessed only by the client's thread, which reads one watch after another. */
    private final RelistWait relists;

    /**
     * Whether a streaming list was accepted but delivered nothing. Such a server may not support streaming lists and
     * treat them as a watch. Accessed only by the feed thread.
     */
    private boolean pagesOnly;

    /**
     * How many streaming lists in a row were accepted but failed before their end, since the last complete list.
     * Accessed only by the feed thread.
     */
    private int cutStreams;

    /** How many watches in a row were accepted but failed with their first event. Accessed only by the feed thread. */
    private int failedWatches;

    /** 0 if a list must come first. Written by the feed thread and, while that waits, by the client's. */
    private volatile long version;

    ListWatch(
            ObjectKind kind,
            SharedClient client,
            KindWriter writer,
            FeedTiming timing,
            PhaseReport report,
            WatchKeepAlive quiet) {
        this.kind = kind;
        this.client = client;
        this.path = ApiResource.path(kind);
        this.writer = writer;
        this.timing = timing;
        this.report = report;
        this.quiet = quiet;
        this.relists = new RelistWait(timing);
    }

    /** The version from which the next watch continues; 0 if a list must come first. */
    long version() {
        return version;
    }

    /** Makes the next attempt list the kind. */
    void forgetVersion() {
        version = 0;
    }

    /** Lists the kind if there is no version, otherwise watches it. Returns when the response ends. */
    void run(Attempt attempt) throws IOException, InterruptedException {
        try {
            if (version == 0) {
                failedWatches = 0;
                list(attempt);
            } else {
                // A feeder that takes over after this check gives up the attempt.
                writer.requireNotTakenOver();
                watch(attempt);
            }
        } catch (ListsAgainException e) {
            forgetVersion();
        }
    }

    private void list(Attempt attempt) throws IOException, InterruptedException {
        if (!pagesOnly && cutStreams < MAX_CUT_STREAMS) {
            try {
                listStreaming(attempt);
                return;
            } catch (ApiException e) {
                if (!e.isInvalidRequest()) {
                    throw e;
                }
                // The server does not support streaming lists.
            } catch (UnservedListException e) {
                // The server supports them, but its storage may not, or it drops readers that fall behind. Pages are
                // always served; if anything else is wrong, they report it.
            }
        }
        listPages(attempt);
    }

    private void listStreaming(Attempt attempt) throws IOException, InterruptedException {
        StreamedList listed = new StreamedList(attempt);
        try {
            client.stream(
                    path + STREAMING_LIST,
                    WATCH,
                    new Answer(attempt, listed::opened, () -> {}),
                    new WatchReader(listed));
        } catch (IOException e) {
            if (listed.accepted && version == 0) {
                cutStreams++;
                pagesOnly = e instanceof SocketTimeoutException && !listed.heard;
            }
            throw e;
        } finally {
            if (version != 0) {
                cutStreams = 0;
            }
        }
        if (version == 0) {
            throw new UnservedListException(new IOException("the response ended in the middle of a list"));
        }
    }

    private void listPages(Attempt attempt) throws IOException, InterruptedException {
        PagedList list = new PagedList(
                client,
                path,
                new Answer(attempt, this::begin, () -> {}),
                new Answer(attempt, report::listing, () -> {}),
                writer::object,
                new PageRetry(timing, failure -> report.waiting(FailureText.text(kind, client.server(), failure))));
        long reached = list.read();
        writer.endSnapshot(reached);
        version = reached;
        cutStreams = 0;
        attempt.listed();
    }

    private void begin() {
        writer.beginSnapshot();
        report.listing();
    }

    private void watch(Attempt attempt) throws IOException, InterruptedException {
        if (attempt.resumes()) {
            requireNoOlderState();
        }
        // Randomized, so that the watches of a cluster do not reconnect all at once.
        int seconds = SHORTEST_WATCH_SECONDS
                + (int) (SHORTEST_WATCH_SECONDS * timing.random().getAsDouble());
        try {
            client.stream(
                    path + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version + "&timeoutSeconds="
                            + seconds,
                    WATCH,
                    new Answer(attempt, () -> opened(attempt), report::watching),
                    new WatchReader(new Watched(attempt)));
            failedWatches = 0;
        } catch (ApiException e) {
            if (!attempt.isOnlyOpen()) {
                failedWatches = 0;
            } else if (!e.isBusy() && ++failedWatches == MAX_FAILED_WATCHES) {
                forgetVersion();
            }
            throw e;
        }
    }

    /**
     * A watch is open. It is reported only after a while, because a watch from an expired version is accepted and then
     * rejected by its first event.
     */
    private void opened(Attempt attempt) {
        attempt.opened();
        quiet.opened();
    }

    /** Checks that the API server has reached the version, with a list of one object. */
    private void requireNoOlderState() throws IOException, InterruptedException {
        long reached = PagedList.version(client, path);
        if (reached < version) {
            throw new OlderStateException(
                    "is at version " + reached + ", which is older than the last seen version " + version);
        }
    }

    /**
     * A response, until the attempt is given up.
     *
     * @param onOpened runs when the API server has accepted the request
     * @param onLasting runs when the response has been open for a while
     */
    private record Answer(Attempt attempt, Runnable onOpened, Runnable onLasting) implements AnswerListener {
        @Override
        public void opened() {
            onOpened.run();
        }

        @Override
        public void lasts() {
            onLasting.run();
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return attempt.givenUp();
        }
    }

    /** A streaming list was accepted, but then an ERROR event rejected it, or the response was truncated. */
    private static final class UnservedListException extends IOException {
        private static final long serialVersionUID = 1;

        UnservedListException(IOException cause) {
            super(cause);
        }
    }

    /** Ends a watch to list the kind again, because only a list can correct the state. */
    private static final class ListsAgainException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** The initial events of a streaming list, and the watch that follows them in the same response. */
    private final class StreamedList implements WatchReader.Events {
        private final Attempt attempt;
        private final Watched watched;

        /** Whether the API server has accepted the request. */
        private boolean accepted;

        /** Whether any event arrived. */
        private boolean heard;

        StreamedList(Attempt attempt) {
            this.attempt = attempt;
            this.watched = new Watched(attempt);
        }

        void opened() {
            begin();
            accepted = true;
        }

        @Override
        public void event(EventType type, byte[] bytes, int from, int to) throws IOException {
            heard = true;
            if (version != 0) {
                watched.event(type, bytes, from, to);
                return;
            }
            switch (type) {
                case ADDED, MODIFIED -> writer.object(bytes, from, to);
                case DELETED -> {
                    long unused = writer.event(Change.DELETED, bytes, from, to);
                    writer.send();
                }
                case BOOKMARK -> {
                    ObjectVersion reached = ObjectVersion.of(bytes, from, to);
                    if (reached.endsList()) {
                        end(reached.resourceVersion());
                    }
                }
                case ERROR -> throw new UnservedListException(ApiStatus.ofObject(bytes, from, to));
            }
        }

        private void end(long reached) throws MalformedAnswerException {
            if (reached == 0) {
                throw new MalformedAnswerException("the bookmark at the end of a list has no resourceVersion");
            }
            writer.endSnapshot(reached);
            version = reached;
            attempt.listStreamed(timing.clock().instant());
            quiet.opened();
            report.watching();
        }

        @Override
        public void pause() throws IOException {
            watched.pause();
        }
    }

    /** The events of a watch. */
    private final class Watched implements WatchReader.Events {
        private final Attempt attempt;

        /** The version of the last event that arrived; 0 if everything that arrived was applied. */
        private long next;

        Watched(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void event(EventType type, byte[] bytes, int from, int to) throws IOException {
            if (type == EventType.ERROR) {
                // Apply the events before it.
                pause();
                throw ApiStatus.ofObject(bytes, from, to);
            }
            long reached;
            if (type == EventType.BOOKMARK) {
                reached = ObjectVersion.versionOf(bytes, from, to);
                writer.bookmark(reached);
                quiet.bookmarked();
            } else {
                reached = writer.event(change(type), bytes, from, to);
                if (reached <= 0) {
                    reached = ObjectVersion.versionOf(bytes, from, to);
                }
            }
            // A repeated event must not lower the version.
            next = Math.max(reached, Math.max(next, version));
        }

        @Override
        public void pause() throws ListsAgainException {
            if (next != 0) {
                writer.send();
                version = next;
                next = 0;
                attempt.advanced();
                quiet.spoke();
                report.watching();
                if (relists.isDue(writer.needsSnapshot())) {
                    throw new ListsAgainException();
                }
            }
        }
    }

    private static Change change(EventType type) {
        return switch (type) {
            case ADDED -> Change.ADDED;
            case MODIFIED -> Change.MODIFIED;
            case DELETED -> Change.DELETED;
            case BOOKMARK, ERROR -> throw new IllegalArgumentException("must change an object, was " + type);
        };
    }
}

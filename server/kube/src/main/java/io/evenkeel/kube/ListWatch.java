package io.evenkeel.kube;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;

/**
 * Lists or watches one kind of objects, as far as one attempt gets, and applies what comes. Keeps the version that the
 * next watch goes on from.
 *
 * <p>That is the version of the last event or bookmark that was applied, so no event is lost; an event that comes twice
 * changes nothing, since its object is not newer than what is stored. A list goes through a snapshot of the kind, so
 * that it changes only what differs.
 *
 * <p>An API server whose etcd was restored from a backup takes watches from versions that it does not have any more,
 * and leaves out all events up to them without a word. So before a watch goes on it is asked how far it is.
 *
 * <p>One thread makes the attempts, one after another. Bytes are read and applied in one thread of the client, which
 * takes the next ones when these are applied, while the thread of the attempt waits. Any thread may read the version.
 */
final class ListWatch {
    private static final String WATCH = "application/vnd.kubernetes.protobuf;stream=watch";
    private static final String STREAMING_LIST =
            "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /** Something between may end connections too early for a streaming list. */
    private static final int MOST_CUT_STREAMS = 2;

    /** What follows the version may be what the API server cannot read. A list may do without that. */
    private static final int MOST_FAILED_WATCHES = 3;

    private final ObjectKind kind;
    private final SharedClient client;
    private final String path;
    private final KindWriter writer;
    private final FeedTiming timing;
    private final PhaseReport report;
    private final QuietWatch quiet;

    /** Used by the client's thread alone, which reads one watch after another. */
    private final RoomRetry room;

    /**
     * Whether the answer to a streaming list was accepted, and nothing came: such a server may not know them, and take
     * them for a watch. Of the thread of the attempts alone.
     */
    private boolean pagesOnly;

    /**
     * How many streaming lists in a row were accepted, and have failed before their end, since a list came to its end.
     * Of the thread of the attempts alone.
     */
    private int cutStreams;

    /**
     * How many watches in a row were accepted, and have failed by their first event. Of the thread of the attempts
     * alone.
     */
    private int failedWatches;

    /** 0 where a list must come first. Written by the thread of the attempts and, while that waits, by the client's. */
    private volatile long version;

    ListWatch(
            ObjectKind kind,
            SharedClient client,
            KindWriter writer,
            FeedTiming timing,
            PhaseReport report,
            QuietWatch quiet) {
        this.kind = kind;
        this.client = client;
        this.path = ApiResource.path(kind);
        this.writer = writer;
        this.timing = timing;
        this.report = report;
        this.quiet = quiet;
        this.room = new RoomRetry(timing);
    }

    /** The version that the next watch goes on from; 0 where a list must come first. */
    long version() {
        return version;
    }

    /** Has the next attempt list the kind. */
    void forgetVersion() {
        version = 0;
    }

    /** Lists the kind where there is no version, or else watches it, and returns when the answer has ended. */
    void run(Attempt attempt) throws IOException, InterruptedException, ConfigurationException {
        try {
            if (version == 0) {
                failedWatches = 0;
                list(attempt);
            } else {
                // Whoever takes over from now on gives the attempt up.
                writer.requireNotTakenOver();
                watch(attempt);
            }
        } catch (ListsAgainException e) {
            forgetVersion();
        }
    }

    private void list(Attempt attempt) throws IOException, InterruptedException, ConfigurationException {
        if (!pagesOnly && cutStreams < MOST_CUT_STREAMS) {
            try {
                listStreaming(attempt);
                return;
            } catch (ApiException e) {
                if (!e.isInvalidRequest()) {
                    throw e;
                }
                // It does not know streaming lists.
            } catch (UnservedListException e) {
                // It knows them, but its storage may not, or it gives a reader up that changes overtake. Pages are
                // always served; where more is wrong, they tell.
            }
        }
        listPages(attempt);
    }

    private void listStreaming(Attempt attempt) throws IOException, InterruptedException, ConfigurationException {
        StreamedList listed = new StreamedList(attempt);
        try {
            client.stream(path + STREAMING_LIST, WATCH, listed, new WatchReader(listed));
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
            throw new UnservedListException(new IOException("the answer ended within a list"));
        }
    }

    private void listPages(Attempt attempt) throws IOException, InterruptedException, ConfigurationException {
        PagedList list = new PagedList(
                client,
                path,
                new PageAnswer(attempt, true),
                new PageAnswer(attempt, false),
                writer::object,
                new PageRetry(timing, failure -> report.waiting(Problems.text(kind, client.server(), failure))));
        long reached = list.read();
        writer.endSnapshot(reached);
        version = reached;
        cutStreams = 0;
        attempt.listed();
    }

    private void watch(Attempt attempt) throws IOException, InterruptedException, ConfigurationException {
        if (attempt.resumes()) {
            requireNoOlderState();
        }
        // Different for each, so that not all watches of a cluster come back at the same time.
        int seconds = SHORTEST_WATCH_SECONDS
                + (int) (SHORTEST_WATCH_SECONDS * timing.random().getAsDouble());
        try {
            client.stream(
                    path + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version + "&timeoutSeconds="
                            + seconds,
                    WATCH,
                    new OpenWatch(attempt),
                    new WatchReader(new Watched(attempt)));
            failedWatches = 0;
        } catch (ApiException e) {
            if (!attempt.isOnlyOpen()) {
                failedWatches = 0;
            } else if (!e.isBusy() && ++failedWatches == MOST_FAILED_WATCHES) {
                forgetVersion();
            }
            throw e;
        }
    }

    /** Requires that the API server has the version, by a list of one object. */
    private void requireNoOlderState() throws IOException, InterruptedException, ConfigurationException {
        long reached = PagedList.version(client, path);
        if (reached < version) {
            throw new OlderStateException("has gone back to version " + reached + ", which is older than " + version);
        }
    }

    /** An answer with a page of a list. */
    private final class PageAnswer implements AnswerListener {
        private final Attempt attempt;
        private final boolean begins;

        PageAnswer(Attempt attempt, boolean begins) {
            this.attempt = attempt;
            this.begins = begins;
        }

        @Override
        public void opened() {
            if (begins) {
                writer.beginSnapshot();
            }
            report.listing();
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return attempt.givenUp();
        }
    }

    /** A streaming list was accepted, and then an event says that it cannot be served, or it ends before its end. */
    private static final class UnservedListException extends IOException {
        private static final long serialVersionUID = 1;

        UnservedListException(IOException cause) {
            super(cause);
        }
    }

    /** The watch ends, since a list may find room for what the state lacks. */
    private static final class ListsAgainException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** The initial events of a streaming list, and the watch that follows them in the same answer. */
    private final class StreamedList implements WatchReader.Events, AnswerListener {
        private final Attempt attempt;
        private final Watched watched;

        /** Whether the API server has accepted the request. */
        private boolean accepted;

        /** Whether anything came. */
        private boolean heard;

        StreamedList(Attempt attempt) {
            this.attempt = attempt;
            this.watched = new Watched(attempt);
        }

        @Override
        public void opened() {
            writer.beginSnapshot();
            accepted = true;
            report.listing();
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return attempt.givenUp();
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
                throw new MalformedAnswerException("the end of a list has no resourceVersion");
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

    /** A watch whose version is too old is accepted, and its first event says so: it is told of later. */
    private final class OpenWatch implements AnswerListener {
        private final Attempt attempt;

        OpenWatch(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void opened() {
            attempt.opened();
            quiet.opened();
        }

        @Override
        public void lasts() {
            report.watching();
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return attempt.givenUp();
        }
    }

    /** The events of a watch. */
    private final class Watched implements WatchReader.Events {
        private final Attempt attempt;

        /** The version of the last event that came; 0 where all that came was applied. */
        private long next;

        Watched(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void event(EventType type, byte[] bytes, int from, int to) throws IOException {
            if (type == EventType.ERROR) {
                // What came before it is applied.
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
            // An event that comes again takes nothing back.
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
                if (room.isDue(writer.isLacking())) {
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

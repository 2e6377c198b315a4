package io.evenkeel.kube;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Follows one kind of objects, in a thread of its own, until it is closed.
 *
 * <pre>
 *   no version ──► list: streaming, or else in pages ──► version ──► watch from it ──► version of the last event
 *       ▲                                                                │
 *       └── 410, what cannot be read, an API server whose state is older, or a state that lacks something
 * </pre>
 *
 * <p>Every end of a connection leads back to the watch from the last version, or to a list where there is none. The
 * version is that of the last event or bookmark that was applied, so no event is lost; an event that comes twice
 * changes nothing, since its object is not newer than what is stored. A list goes through a snapshot of the kind, so
 * that it changes only what differs. Bytes are read and applied in one thread of the client, which takes the next ones
 * when these are applied.
 *
 * <p>A state that had no room for something lacks that until the next list, and does not tell its version, though there
 * may be room again. So the kind is listed anew after a while, and less often where there is still no room.
 *
 * <p>An API server whose etcd was restored from a backup takes watches from versions that it does not have any more,
 * and leaves out all events up to them without a word. So before a watch goes on it is asked how far it is.
 */
final class KindFeed implements Runnable, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(KindFeed.class.getName());
    private static final String WATCH = "application/vnd.kubernetes.protobuf;stream=watch";
    private static final String STREAMING_LIST =
            "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

    /**
     * A watch that ends sooner, and without an event, counts as a failure, and one that lasts ends a row of failures.
     */
    private static final Duration SHORT_WATCH = Duration.ofSeconds(5);

    /** The longest wait after several watches that brought something, and ended soon. */
    private static final Duration LONGEST_AFTER_EVENTS = Duration.ofSeconds(1);

    private static final int SHORTEST_WATCH_SECONDS = 300;

    /** How many times the longest wait after a failure passes at most between lists that find no room. */
    private static final int LONGER_WITHOUT_ROOM = 20;

    /** How much longer a watch with bookmarks may say nothing: these come about once a minute. */
    private static final int LONGER_WITH_BOOKMARKS = 4;

    private final ObjectKind kind;
    private final SharedClient client;
    private final String server;
    private final KindWriter writer;
    private final KubeFeedListener listener;
    private final FeedTiming timing;
    private final BackOff backOff;
    private final BackOff roomBackOff;

    /** Does not grow: the watch brought something, so the API server is there, and more would come late. */
    private final BackOff cutBackOff;

    /**
     * Whether the answer to a streaming list was accepted, and nothing came: such a server may not know them, and take
     * them for a watch.
     */
    private boolean pagesOnly;

    /** Whether the version is that of a list that has just ended. */
    private boolean justListed;

    private volatile boolean closed;

    /** Completed with an error where the list or watch that is open now must end. */
    private volatile CompletableFuture<Void> givenUp = new CompletableFuture<>();

    // Written by the thread of the feed and, while that waits, by the client's.
    /** The version that the next watch goes on from; 0 where a list must come first. */
    private volatile long version;

    private boolean moved;

    /** When a state that lacks something is listed anew; null where nothing is known to be lacking. */
    private @Nullable Instant listsAgain;

    /** When the last attempt began or, where it had a streaming list, when that was complete. */
    private volatile Instant begun = Instant.EPOCH;

    /** How many watches in a row have brought something and ended soon. */
    private int cutWatches;

    /** Whether the last attempt opened a watch. */
    private boolean watchOpened;

    private volatile @Nullable KindState state;

    /** Set when the watch opens or brings bytes. The thread that looks for quiet watches reads and clears it. */
    private volatile boolean spoke;

    /** Since when that thread has neither seen it set nor asked the server, on the clock of the JVM. */
    private long quietSince = System.nanoTime();

    /** Whether the watch has had a bookmark, so that others can be expected. */
    private volatile boolean bookmarked;

    KindFeed(
            ObjectKind kind,
            SharedClient client,
            String server,
            KindWriter writer,
            KubeFeedListener listener,
            FeedTiming timing) {
        this.kind = kind;
        this.client = client;
        this.server = server;
        this.writer = writer;
        this.listener = listener;
        this.timing = timing;
        this.backOff = timing.backOff();
        writer.whenTakenOver(why -> givenUp.completeExceptionally(why));
        this.roomBackOff = new BackOff(
                timing.longestWait(), timing.longestWait().multipliedBy(LONGER_WITHOUT_ROOM), timing.random());
        this.cutBackOff = new BackOff(LONGEST_AFTER_EVENTS, LONGEST_AFTER_EVENTS, timing.random());
    }

    @Override
    public void run() {
        try {
            boolean begun = false;
            while (!closed) {
                try {
                    if (!begun) {
                        begun = true;
                        tell(KindState.Phase.CONNECTING, null);
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
            tell(KindState.Phase.STOPPED, problem());
        }
    }

    /** Opens one list or watch, and returns at its end, after a wait where it failed. */
    private void follow() throws InterruptedException {
        begun = timing.clock().instant();
        moved = false;
        watchOpened = false;
        boolean resumes = version != 0 && !justListed;
        Exception failure = null;
        givenUp = new CompletableFuture<>();
        try {
            if (version == 0) {
                list();
            } else {
                // Whoever takes over from now on completes the future.
                writer.requireNotTakenOver();
                watch();
            }
        } catch (ListsAgainException e) {
            version = 0;
        } catch (IOException | ConfigurationException | RuntimeException e) {
            failure = e;
        } catch (Error e) {
            // No memory for a thread, say. The next attempt may succeed, and without this thread there is none.
            failure = new IllegalStateException(e);
        }
        if (closed) {
            return;
        }
        if (failure == null && justListed) {
            return;
        }
        boolean isShort = Duration.between(begun, timing.clock().instant()).compareTo(SHORT_WATCH) < 0;
        if (watchOpened && !isShort || resumes && failure instanceof ApiException api && api.isGone()) {
            // The API server is there again, after whatever failed before.
            backOff.reset();
            cutWatches = 0;
        }
        boolean isCut = isShort && moved && (failure == null || resumes && !isVersionUnusable(failure));
        if (failure == null && (!isShort || isCut)) {
            // One may end for any reason. Of several, something between cuts answers: else all is well, so nobody is
            // told.
            if (isCut && ++cutWatches > 1) {
                timing.pause().last(cutBackOff.next());
            }
            return;
        }
        if (failure instanceof SocketTimeoutException && watchOpened) {
            // Some API servers send no bookmarks where nothing changes. One that is dead does not take the next watch.
            return;
        }
        waitAfter(
                failure == null ? new IOException("watches end at once") : failure,
                isCut ? cutBackOff.next() : backOff.next());
    }

    private void waitAfter(Exception failure, Duration wait) throws InterruptedException {
        if (isVersionUnusable(failure)) {
            version = 0;
        }
        tell(KindState.Phase.WAITING, Problems.text(kind, server, failure));
        Duration asked = Problems.retryAfter(failure);
        timing.pause().last(asked.compareTo(wait) > 0 ? asked : wait);
        tell(KindState.Phase.CONNECTING, problem());
    }

    /** Whether the kind must be listed anew. */
    private static boolean isVersionUnusable(Exception failure) {
        return failure instanceof ApiException api && (api.isGone() || api.isInvalidRequest())
                || failure instanceof OlderStateException
                || failure instanceof MalformedAnswerException
                || failure instanceof RuntimeException;
    }

    private void list() throws IOException, InterruptedException, ConfigurationException {
        justListed = false;
        if (!pagesOnly) {
            try {
                listStreaming();
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
        listPages();
    }

    private void listStreaming() throws IOException, InterruptedException, ConfigurationException {
        StreamedList listed = new StreamedList();
        try {
            client.stream(ApiResource.path(kind) + STREAMING_LIST, WATCH, listed, new WatchReader(listed));
        } catch (SocketTimeoutException e) {
            pagesOnly = listed.accepted && !listed.heard;
            throw e;
        }
        if (version == 0) {
            throw new UnservedListException(new IOException("the answer ended within a list"));
        }
    }

    /** The initial events of a streaming list, and the watch that follows them in the same answer. */
    private final class StreamedList implements WatchReader.Events, AnswerListener {
        private final Watched watched = new Watched();

        /** Whether the API server has accepted the request. */
        private boolean accepted;

        /** Whether anything came. */
        private boolean heard;

        @Override
        public void opened() {
            writer.beginSnapshot();
            accepted = true;
            tell(KindState.Phase.LISTING, problem());
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return givenUp;
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
                        if (reached.resourceVersion() == 0) {
                            throw new MalformedAnswerException("the end of a list has no resourceVersion");
                        }
                        writer.endSnapshot(reached.resourceVersion());
                        version = reached.resourceVersion();
                        begun = timing.clock().instant();
                        moved = true;
                        watchOpened = true;
                        bookmarked = false;
                        spoke = true;
                        tell(KindState.Phase.WATCHING, null);
                    }
                }
                case ERROR -> throw new UnservedListException(ApiStatus.ofObject(bytes, from, to));
            }
        }

        @Override
        public void pause() throws IOException {
            watched.pause();
        }
    }

    /** A streaming list was accepted, and then an event says that it cannot be served, or it ends before its end. */
    private static final class UnservedListException extends IOException {
        private static final long serialVersionUID = 1;

        UnservedListException(IOException cause) {
            super(cause);
        }
    }

    private void listPages() throws IOException, InterruptedException, ConfigurationException {
        PagedList list = new PagedList(
                client,
                ApiResource.path(kind),
                () -> {
                    writer.beginSnapshot();
                    tell(KindState.Phase.LISTING, problem());
                },
                writer::object);
        long reached = list.read();
        writer.endSnapshot(reached);
        version = reached;
        justListed = true;
        moved = true;
    }

    /** Requires that the API server has the version, by a list of one object. */
    private void requireNoOlderState() throws IOException, InterruptedException, ConfigurationException {
        long reached = PagedList.version(client, ApiResource.path(kind));
        if (reached < version) {
            throw new OlderStateException("has gone back to version " + reached + ", which is older than " + version);
        }
    }

    private void watch() throws IOException, InterruptedException, ConfigurationException {
        if (!justListed) {
            requireNoOlderState();
        }
        justListed = false;
        // Different for each, so that not all watches of a cluster come back at the same time.
        int seconds = SHORTEST_WATCH_SECONDS
                + (int) (SHORTEST_WATCH_SECONDS * timing.random().getAsDouble());
        client.stream(
                ApiResource.path(kind) + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + version
                        + "&timeoutSeconds=" + seconds,
                WATCH,
                new OpenWatch(),
                new WatchReader(new Watched()));
    }

    /** A watch whose version is too old is accepted, and its first event says so: it is told of later. */
    private final class OpenWatch implements AnswerListener {
        @Override
        public void opened() {
            watchOpened = true;
            bookmarked = false;
            spoke = true;
        }

        @Override
        public void lasts() {
            tell(KindState.Phase.WATCHING, null);
        }

        @Override
        public CompletableFuture<?> givenUp() {
            return givenUp;
        }
    }

    /**
     * Asks the API server how far it is, where the watch has said nothing for a while. It asks etcd then, and has
     * bookmarks for the watches of this kind afterwards. Where nothing changes in a kind and nobody asks, it has none,
     * unless etcd tells by itself.
     */
    void askWhereQuiet() {
        long now = System.nanoTime();
        if (spoke) {
            spoke = false;
            quietSince = now;
        }
        long patience = timing.quiet().toNanos() * (bookmarked ? LONGER_WITH_BOOKMARKS : 1);
        KindState last = state;
        if (last == null || last.phase() != KindState.Phase.WATCHING || now - quietSince < patience) {
            return;
        }
        quietSince = now;
        try {
            long unused = PagedList.version(client, ApiResource.path(kind));
        } catch (InterruptedException e) {
            // The feed is closed.
            Thread.currentThread().interrupt();
        } catch (IOException | ConfigurationException | RuntimeException | Error e) {
            // The watch tells what is wrong. If an error were thrown, nobody would be asked again.
        }
    }

    /** The events of a watch. */
    private final class Watched implements WatchReader.Events {
        /** The version of the last event that came; 0 where all that came was applied. */
        private long next;

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
                bookmarked = true;
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
                moved = true;
                spoke = true;
                if (!isWatched()) {
                    tell(KindState.Phase.WATCHING, null);
                }
                listAgainWhereDue();
            }
        }
    }

    /** Whether it was told that a watch is open, and of no problem. */
    private boolean isWatched() {
        KindState last = state;
        return last != null && last.phase() == KindState.Phase.WATCHING && last.problem() == null;
    }

    /** The watch ends, since a list may find room for what the state lacks. */
    private static final class ListsAgainException extends IOException {
        private static final long serialVersionUID = 1;
    }

    private void listAgainWhereDue() throws ListsAgainException {
        if (!writer.isLacking()) {
            listsAgain = null;
            roomBackOff.reset();
            return;
        }
        Instant now = timing.clock().instant();
        if (listsAgain == null) {
            listsAgain = now.plus(roomBackOff.next());
        } else if (!now.isBefore(listsAgain)) {
            listsAgain = null;
            throw new ListsAgainException();
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

    /** The version from which the next watch begins; 0 where a list must come first. */
    long version() {
        return version;
    }

    private synchronized @Nullable String problem() {
        KindState last = state;
        return last == null ? null : last.problem();
    }

    private synchronized void tell(KindState.Phase phase, @Nullable String problem) {
        KindState last = state;
        if (last != null
                && (last.phase() == KindState.Phase.STOPPED
                        || last.phase() == phase && Objects.equals(last.problem(), problem))) {
            return;
        }
        if (phase == KindState.Phase.WAITING) {
            writer.sourceIs(false);
        } else if (phase == KindState.Phase.LISTING || phase == KindState.Phase.WATCHING) {
            writer.sourceIs(true);
        }
        KindState now = new KindState(kind, phase, timing.clock().instant(), problem);
        state = now;
        listener.changed(now);
    }

    /** Ends the feed soon; its thread must be interrupted, and its client closed. */
    @Override
    public void close() {
        closed = true;
    }
}

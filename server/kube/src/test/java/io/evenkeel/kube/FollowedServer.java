package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.evenkeel.engine.Await;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A scripted API server, and an instance that follows it without long waits. */
final class FollowedServer implements AutoCloseable {
    final ScriptedApiServer server;
    final Instance instance;
    final List<KindState> states = new CopyOnWriteArrayList<>();
    final List<Refusal> refusals = new CopyOnWriteArrayList<>();
    final List<Duration> waits = new CopyOnWriteArrayList<>();
    private final AtomicLong aheadNanos = new AtomicLong();
    private volatile Duration setBack = Duration.ZERO;
    private final KubeFeed feed;
    private volatile Consumer<String> rolled = thread -> {};

    /** Waits of at least this length last until something ends them. */
    private volatile Duration held = Duration.ofDays(1);

    FollowedServer(ScriptedApiServer server, ClusterAccess access) {
        this(server, access, null, Duration.ofHours(1), new Instance(InstanceOptions.standard()));
    }

    /**
     * @param first thrown once in a feed thread, when it asks for a random number
     * @param quiet how long a watch may be silent before the server is asked for its current version
     */
    FollowedServer(ScriptedApiServer server, ClusterAccess access, @Nullable Error first, Duration quiet) {
        this(server, access, first, quiet, new Instance(InstanceOptions.standard()));
    }

    private FollowedServer(
            ScriptedApiServer server, ClusterAccess access, @Nullable Error first, Duration quiet, Instance instance) {
        this.server = server;
        this.instance = instance;
        AtomicReference<@Nullable Error> error = new AtomicReference<>(first);
        FeedTiming timing = new FeedTiming(
                new PassingClock(),
                this::nanos,
                () -> {
                    Error thrown = error.getAndSet(null);
                    if (thrown != null) {
                        throw thrown;
                    }
                    rolled.accept(Thread.currentThread().getName());
                    return 0;
                },
                this::waited,
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                quiet);
        feed = KubeFeed.start(
                instance.clusterState(),
                7,
                access,
                new KubeFeedListener() {
                    @Override
                    public void changed(KindState state) {
                        states.add(state);
                    }

                    @Override
                    public void refused(ObjectKind kind, Refusal refusal) {
                        refusals.add(refusal);
                    }
                },
                FedObjects.NOBODY,
                timing);
    }

    static FollowedServer follow(ScriptedApiServer server, Path directory) throws Exception {
        return new FollowedServer(server, ClusterAccess.of(server.kubeconfig(directory, "", ""), null));
    }

    static FollowedServer follow(ScriptedApiServer server, Path directory, Instance instance) throws Exception {
        ClusterAccess access = ClusterAccess.of(server.kubeconfig(directory, "", ""), null);
        return new FollowedServer(server, access, null, Duration.ofHours(1), instance);
    }

    private void waited(Duration wait, CompletableFuture<?> end) throws InterruptedException {
        waits.add(wait);
        if (wait.compareTo(held) < 0) {
            Thread.sleep(2);
        } else {
            FeedTiming.real().pause().last(Duration.ofHours(1), end);
        }
    }

    /** From now on, waits of at least this length last until something ends them. */
    void holdWaits(Duration least) {
        held = least;
    }

    /**
     * Runs an action whenever a feed asks for a random number, which it does just before it requests a watch. The
     * action gets the name of the feed's thread.
     */
    void whenDiceRoll(Consumer<String> action) {
        rolled = action;
    }

    /** Sets the machine's clock back. */
    void setClockBack(Duration time) {
        setBack = time;
    }

    /** Advances time in one step. */
    void pass(Duration time) {
        long unused = aheadNanos.addAndGet(time.toNanos());
    }

    private long nanos() {
        return System.nanoTime() + aheadNanos.get();
    }

    private final class PassingClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant instant() {
            return Instant.now().plusNanos(aheadNanos.get()).minus(setBack);
        }
    }

    /** Adds or changes an object. */
    void put(ObjectKind kind, int number, int detail) {
        server.put(kind, KubeWorld.uid(kind, number), KubeWorld.object(kind, number, detail, server.nextVersion()));
    }

    void delete(ObjectKind kind, int number) {
        server.delete(kind, KubeWorld.uid(kind, number), KubeWorld.object(kind, number, 0, server.nextVersion()));
    }

    /** The version up to which the state has every event of the kind. */
    long heldVersion(ObjectKind kind) {
        return instance.engine().versions().held(kind);
    }

    KindFeedState state(ObjectKind kind) {
        return instance.clusterState().feed(kind);
    }

    boolean fed(ObjectKind kind) {
        return state(kind).since() != null;
    }

    GetStatusResponse status() {
        return instance.clusterState().getStatus(GetStatusRequest.getDefaultInstance());
    }

    /** Waits until the feeds of all kinds have caught up with the server. */
    void awaitAll() throws InterruptedException {
        // Repeat, because a watch that begins after a bookmark does not receive it.
        Await.until(this::problems, () -> {
            long version = server.bookmark();
            for (ObjectKind kind : ObjectKind.ALL) {
                if (feed.version(kind) != version) {
                    return false;
                }
            }
            return true;
        });
    }

    String version(ObjectKind kind) {
        return String.valueOf(feed.version(kind));
    }

    private String problems() {
        return states.stream()
                .map(KindState::problem)
                .filter(problem -> problem != null)
                .distinct()
                .toList()
                .toString();
    }

    /** Waits until a state of the kind was reported whose problem contains the text. */
    void awaitProblem(ObjectKind kind, String text) throws InterruptedException {
        Await.until(
                this::problems,
                () -> states.stream()
                        .anyMatch(state -> state.kind() == kind
                                && state.problem() != null
                                && state.problem().contains(text)));
    }

    /** Ends the feed, and checks that a plain list from the server would change nothing. */
    void assertHoldsWhatTheServerHas() throws IOException {
        feed.close();
        IndexValidator.validate(instance.engine());
        long before = status().getRevision().getCounter();
        Map<ObjectKind, List<byte[]>> listed = server.objects();
        try (SyncSession session = instance.clusterState().sync()) {
            handle(session, begin());
            for (Map.Entry<ObjectKind, List<byte[]>> each : listed.entrySet()) {
                SyncResponse response = handle(session, listed(each.getKey(), each.getValue()));
                assertEquals(0, response.getAppliedCount(), "of " + each.getKey());
                assertEquals(List.of(), response.getRefusalsList());
            }
            assertEquals(
                    0,
                    handle(
                                    session,
                                    SyncRequest.newBuilder()
                                            .setEndSnapshot(EndSnapshot.getDefaultInstance())
                                            .build()
                                            .toByteArray())
                            .getRemovedCount());
        }
        assertEquals(before, status().getRevision().getCounter());
        assertEquals(count(listed, ObjectKind.NODE), status().getNodeCount());
        assertEquals(count(listed, ObjectKind.POD), status().getPodCount());
    }

    private static int count(Map<ObjectKind, List<byte[]>> listed, ObjectKind kind) {
        return listed.getOrDefault(kind, List.of()).size();
    }

    private static byte[] listed(ObjectKind kind, List<byte[]> objects) throws InvalidProtocolBufferException {
        FieldDescriptor field = ClusterObject.getDescriptor()
                .findFieldByNumber(KindMessages.inMessages(kind).getNumber());
        Objects.Builder message = Objects.newBuilder();
        for (byte[] object : objects) {
            ClusterObject.Builder wrapped = message.addObjectsBuilder();
            Message value = wrapped.newBuilderForField(field).mergeFrom(object).build();
            wrapped.setField(field, value);
        }
        return SyncRequest.newBuilder().setObjects(message).build().toByteArray();
    }

    private static byte[] begin() {
        return SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .setTakeover(true)
                        .addAllKinds(ObjectKind.ALL.stream()
                                .map(KindMessages::inMessages)
                                .toList()))
                .build()
                .toByteArray();
    }

    private SyncResponse handle(SyncSession session, byte[] message) throws InvalidProtocolBufferException {
        return session.handle(instance.clusterState().readSync(message));
    }

    /** The phases that were reported for a kind, in order. */
    List<KindState.Phase> phases(ObjectKind kind) {
        List<KindState.Phase> phases = new ArrayList<>();
        states.stream().filter(state -> state.kind() == kind).forEach(state -> phases.add(state.phase()));
        return phases;
    }

    void stopFeeding() {
        feed.close();
    }

    @Override
    public void close() {
        feed.close();
        server.close();
        instance.close();
    }
}

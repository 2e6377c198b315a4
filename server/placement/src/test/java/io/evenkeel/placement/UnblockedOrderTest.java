package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.answer.WatchedVerdicts;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls an instance without a channel, so that nothing comes between what it sends and its answer to an event. */
final class UnblockedOrderTest {
    private static final class Recorder implements WatchedVerdicts.Outlet {
        private final List<String> unblocked = new ArrayList<>();

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(WatchUnblockedResponse response) {
            unblocked.addAll(response.getUnblockedList());
        }

        @Override
        public void fail(Throwable why) {
            throw new AssertionError(why);
        }
    }

    private final Recorder sent = new Recorder();
    private final Instance instance = new Instance(InstanceOptions.standard());
    private final WatchedVerdicts watched =
            instance.placement().watchUnblocked().open(sent);

    /** Watches a pod for which there is no room. */
    @BeforeEach
    void watch() {
        instance.clusterState().apply(apply(List.of(node("full", 0))));
        watched.handle(
                WatchUnblockedRequest.newBuilder()
                        .addAdd(PendingPod.newBuilder().setKey("one").setPod(web()))
                        .build(),
                StopSignal.NEVER);
        assertEquals(List.of(), sent.unblocked);
    }

    @AfterEach
    void close() {
        watched.close();
        instance.close();
    }

    private static ClusterObject node(String name, int room) {
        Node.Builder node = Messages.node(name, "zone").toBuilder();
        node.getStatusBuilder().putAllocatable("pods", StringValue.of(String.valueOf(room)));
        return object(node.build());
    }

    @Test
    void unblockedPods_areSent_beforeApplyIsAnswered() {
        instance.clusterState().apply(apply(List.of(node("free", 1))));
        assertEquals(List.of("one"), sent.unblocked);
    }

    @Test
    void unblockedPods_areSent_beforeAStepOfSyncIsAnswered() {
        try (SyncSession feed = instance.clusterState().sync()) {
            feed.handle(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_NODE))
                    .build());
            feed.handle(SyncRequest.newBuilder()
                    .setObjects(Objects.newBuilder().addObjects(node("full", 0)).addObjects(node("free", 1)))
                    .build());
            assertEquals(List.of("one"), sent.unblocked);
        }
    }
}

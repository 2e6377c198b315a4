package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.load.EncodedRequest;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.SyncRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Encodes {@code Sync} messages before the measurement. */
final class SyncMessages {
    /** The number of objects or events per message. */
    static final int BATCH = 500;

    static final SyncMessage BEGIN =
            message(SyncRequest.newBuilder().setBeginSnapshot(BeginSnapshot.getDefaultInstance()), 0);
    static final SyncMessage END =
            message(SyncRequest.newBuilder().setEndSnapshot(EndSnapshot.getDefaultInstance()), 0);

    private SyncMessages() {}

    /** The whole cluster as a snapshot. */
    static List<SyncMessage> snapshot(ClusterGenerator cluster) {
        List<SyncMessage> messages = new ArrayList<>();
        messages.add(BEGIN);
        Objects.Builder batch = Objects.newBuilder();
        for (Iterator<ClusterObject> objects = cluster.objects(); objects.hasNext(); ) {
            batch.addObjects(objects.next());
            if (batch.getObjectsCount() == BATCH || !objects.hasNext()) {
                messages.add(message(SyncRequest.newBuilder().setObjects(batch), batch.getObjectsCount()));
                batch.clear();
            }
        }
        messages.add(END);
        return messages;
    }

    /** Pending pods, one per workload, so that the server keeps counts for the workloads. */
    static SyncMessage pending(List<Pod> pods) {
        Events.Builder events = Events.newBuilder();
        pods.forEach(pod -> events.addEvents(event(ClusterEvent.Type.TYPE_ADDED, pod)));
        return message(SyncRequest.newBuilder().setEvents(events), events.getEventsCount());
    }

    /** Messages that each delete or add a batch of pods. Each pod has a newer version than the stored one. */
    static List<SyncMessage> moves(ClusterGenerator cluster, ClusterEvent.Type type, int count) {
        List<SyncMessage> messages = new ArrayList<>();
        int step = cluster.shape().pods() / count;
        Events.Builder events = Events.newBuilder();
        for (int i = 0; i < count; i++) {
            Pod pod = cluster.pod(i * step);
            events.addEvents(event(
                    type,
                    pod.toBuilder()
                            .setMetadata(pod.getMetadata().toBuilder().clearResourceVersion())
                            .build()));
            if (events.getEventsCount() == BATCH || i == count - 1) {
                messages.add(message(SyncRequest.newBuilder().setEvents(events), events.getEventsCount()));
                events.clear();
            }
        }
        return messages;
    }

    private static SyncMessage message(SyncRequest.Builder request, int changes) {
        return new SyncMessage(new EncodedRequest(request.build()), changes);
    }

    private static ClusterEvent event(ClusterEvent.Type type, Pod pod) {
        return ClusterEvent.newBuilder()
                .setType(type)
                .setObject(ClusterObject.newBuilder().setPod(pod))
                .build();
    }
}

package io.evenkeel.loadtest.local;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Feeds pod events that change the counts for an incoming pod. An event adds a replica of the pod to a node, and the
 * next event removes it. Each replica is on a different node. Not thread-safe.
 */
public final class MatchingEvents {
    /**
     * The step from node to node. It is coprime to most node counts, so that all nodes are used and consecutive ones
     * are far apart.
     */
    private static final int STEP = 7919;

    private final SpreadEngine engine;
    private final Pod pod;
    private final List<String> nodes;
    /**
     * A prefix of UIDs. Each instance uses a different prefix, because a server ignores UIDs that were deleted before.
     */
    private final UUID run = UUID.randomUUID();

    private long made;
    private @Nullable PodObject present;

    /**
     * @param pod the incoming pod
     * @param nodes the nodes of the replicas
     */
    public MatchingEvents(SpreadEngine engine, Pod pod, List<String> nodes) {
        this.engine = engine;
        this.pod = pod;
        this.nodes = nodes;
    }

    /** Feeds the next event. */
    public void next() {
        PodObject there = present;
        if (there == null) {
            PodObject replica = replica();
            engine.write(writer -> writer.apply(Change.ADDED, replica));
            present = replica;
        } else {
            engine.write(writer -> writer.apply(Change.DELETED, there));
            present = null;
        }
    }

    /** Removes the last replica, if there is one, which restores the cluster. */
    public void end() {
        if (present != null) {
            next();
        }
    }

    private PodObject replica() {
        ObjectMeta metadata = pod.getMetadata();
        String name = metadata.getName() + "-" + made;
        String node = nodes.get((int) (made * STEP % nodes.size()));
        String uid = new UUID(run.getMostSignificantBits(), made).toString();
        made++;
        return new PodObject(metadata.getNamespace(), name, uid, 0, metadata.getLabelsMap(), node, false, false);
    }
}

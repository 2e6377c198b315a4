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
 * Pod events that move what the answer for an incoming pod rests on: a replica of it appears on a node, and goes again
 * with the next event; each replica on another node. Not safe for use by several threads.
 */
public final class MatchingEvents {
    /** Coprime to most numbers of nodes, so that all of them have their turn, and far ones follow each other. */
    private static final int STEP = 7919;

    private final SpreadEngine engine;
    private final Pod pod;
    private final List<String> nodes;
    /** A UID that went is not taken up again: those of one instance begin alike, and those of another otherwise. */
    private final UUID run = UUID.randomUUID();

    private long made;
    private @Nullable PodObject present;

    /**
     * @param pod the incoming pod
     * @param nodes the nodes that its replicas appear on
     */
    public MatchingEvents(SpreadEngine engine, Pod pod, List<String> nodes) {
        this.engine = engine;
        this.pod = pod;
        this.nodes = nodes;
    }

    /** Makes the next event. */
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

    /** Takes the last replica off, if it is there: the cluster is as it was. */
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

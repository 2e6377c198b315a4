package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;

/** Adds a unique label to each pod among the objects of a cluster. */
record OwnLabels(Iterator<ClusterObject> objects) implements Iterator<ClusterObject> {
    @Override
    public boolean hasNext() {
        return objects.hasNext();
    }

    @Override
    public ClusterObject next() {
        ClusterObject object = objects.next();
        return object.hasPod()
                ? object.toBuilder()
                        .setPod(Replicas.withOwnLabel(object.getPod()))
                        .build()
                : object;
    }
}

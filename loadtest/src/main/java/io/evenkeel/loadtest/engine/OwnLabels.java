package io.evenkeel.loadtest.engine;

import io.evenkeel.loadtest.cluster.Replicas;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;

/** The objects of a cluster, each pod with a label of its own. */
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

package io.evenkeel.engine.simulation;

import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.store.ClusterView;

/**
 * A pod on a node that is to be removed.
 *
 * @param id its id in the store
 * @param labelClass the id of its label class
 */
public record NodePod(int id, int labelClass, String uid, String namespace, String name, Drainability drainability) {

    public static NodePod of(int id, ClusterView cluster) {
        return new NodePod(
                id,
                cluster.labelClass(id),
                cluster.uid(id),
                cluster.namespace(id),
                cluster.name(id),
                cluster.drainability(id));
    }
}

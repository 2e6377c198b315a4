package io.evenkeel.placement.change;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.NamespacedObject;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/** A change of one object, ready for the engine. */
interface ObjectChange {
    /** Applies the change; returns whether it changed the state. */
    boolean applyTo(ClusterWriter writer);

    /** The kind of the object. */
    ObjectKind kind();

    /** The object's resourceVersion; 0 if unknown. */
    long version();

    /** True if it only reports the progress of the kind's feed. */
    default boolean isBookmark() {
        return false;
    }

    /** The object's name, with its namespace if it has one. */
    default String object() {
        return "";
    }

    /** The pod, if this is a change of a pod; otherwise null. */
    default @Nullable PodRecord pod() {
        return null;
    }

    /** True if this is a change of a pending pod that has its own constraints. */
    default boolean isPending() {
        return false;
    }

    /** The parsed pod if {@link #isPending}; otherwise null. */
    default @Nullable Pod pending() {
        return null;
    }

    /** The change of an object that is not a pod. */
    static ObjectChange of(ClusterObject object, Change change) throws InvalidObjectException {
        return switch (object.getObjectCase()) {
            case NODE -> new OfNode(change, StoredObjectTranslator.node(object.getNode(), change));
            case SERVICE -> new OfNamespaced(change, StoredObjectTranslator.service(object.getService(), change));
            case REPLICATION_CONTROLLER ->
                new OfNamespaced(
                        change,
                        StoredObjectTranslator.replicationController(object.getReplicationController(), change));
            case REPLICA_SET ->
                new OfNamespaced(change, StoredObjectTranslator.replicaSet(object.getReplicaSet(), change));
            case STATEFUL_SET ->
                new OfNamespaced(change, StoredObjectTranslator.statefulSet(object.getStatefulSet(), change));
            case POD_DISRUPTION_BUDGET ->
                new OfNamespaced(
                        change, StoredObjectTranslator.disruptionBudget(object.getPodDisruptionBudget(), change));
            case POD, OBJECT_NOT_SET ->
                throw new IllegalArgumentException(
                        "must be a kind of object that is parsed, was " + object.getObjectCase());
        };
    }

    /** A change of a node. */
    record OfNode(Change change, NodeObject node) implements ObjectChange {
        @Override
        public boolean applyTo(ClusterWriter writer) {
            return writer.apply(change, node);
        }

        @Override
        public ObjectKind kind() {
            return ObjectKind.NODE;
        }

        @Override
        public long version() {
            return node.resourceVersion();
        }

        @Override
        public String object() {
            return node.name();
        }
    }

    /** A change of a service, a controller or a disruption budget. */
    record OfNamespaced(Change change, NamespacedObject<?> stored) implements ObjectChange {
        @Override
        public boolean applyTo(ClusterWriter writer) {
            return writer.apply(change, stored);
        }

        @Override
        public ObjectKind kind() {
            return stored.kind();
        }

        @Override
        public long version() {
            return stored.resourceVersion();
        }

        @Override
        public String object() {
            return Refusals.name(stored.namespace(), stored.name());
        }
    }
}

package io.evenkeel.placement.change;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
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
            case NODE -> {
                NodeObject node = StoredObjectTranslator.node(object.getNode(), change);
                yield new Parsed<>(
                        ObjectKind.NODE, node.resourceVersion(), "", node.name(), change, node, ClusterWriter::apply);
            }
            case SERVICE -> of(StoredObjectTranslator.service(object.getService(), change), change);
            case REPLICATION_CONTROLLER ->
                of(StoredObjectTranslator.replicationController(object.getReplicationController(), change), change);
            case REPLICA_SET -> of(StoredObjectTranslator.replicaSet(object.getReplicaSet(), change), change);
            case STATEFUL_SET -> of(StoredObjectTranslator.statefulSet(object.getStatefulSet(), change), change);
            case POD_DISRUPTION_BUDGET -> {
                DisruptionBudget budget =
                        StoredObjectTranslator.disruptionBudget(object.getPodDisruptionBudget(), change);
                yield new Parsed<>(
                        budget.kind(),
                        budget.resourceVersion(),
                        budget.namespace(),
                        budget.name(),
                        change,
                        budget,
                        ClusterWriter::apply);
            }
            case POD, OBJECT_NOT_SET ->
                throw new IllegalArgumentException(
                        "must be a kind of object that is parsed, was " + object.getObjectCase());
        };
    }

    private static ObjectChange of(OwnerObject owner, Change change) {
        return new Parsed<>(
                owner.kind(),
                owner.resourceVersion(),
                owner.namespace(),
                owner.name(),
                change,
                owner,
                ClusterWriter::apply);
    }

    /** Applies changes of one type of object; returns whether the change changed the state. */
    interface Application<T> {
        boolean apply(ClusterWriter writer, Change change, T content);
    }

    /** A change of an object that was parsed. */
    record Parsed<T>(
            ObjectKind kind,
            long version,
            String namespace,
            String name,
            Change change,
            T content,
            Application<T> application)
            implements ObjectChange {
        @Override
        public boolean applyTo(ClusterWriter writer) {
            return application.apply(writer, change, content);
        }

        @Override
        public String object() {
            return Refusals.name(namespace, name);
        }
    }
}

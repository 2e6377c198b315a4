package io.evenkeel.placement;

import io.evenkeel.engine.Change;
import io.evenkeel.engine.ClusterWriter;
import io.evenkeel.engine.NodeObject;
import io.evenkeel.engine.OwnerObject;
import io.evenkeel.engine.PodRecord;
import io.evenkeel.feed.InvalidObjectException;
import io.evenkeel.feed.StoredObjectTranslator;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/** A change of one object, ready for the engine. */
interface ObjectChange {
    /** Answers whether it changed anything. */
    boolean applyTo(ClusterWriter writer);

    /** The pod that it is a change of; null where it is none of a pod. */
    default @Nullable PodRecord pod() {
        return null;
    }

    /** The pod that the change shows waiting for a node, with constraints of its own, parsed; else null. */
    default @Nullable Pod pending() {
        return null;
    }

    /** The change that an object came with that is no pod; refused where the engine cannot take the object. */
    static ObjectChange of(ClusterObject object, Change change) throws InvalidObjectException {
        return switch (object.getObjectCase()) {
            case NODE -> {
                NodeObject node = StoredObjectTranslator.node(object.getNode(), change);
                yield writer -> writer.apply(change, node);
            }
            case SERVICE -> ofOwner(StoredObjectTranslator.service(object.getService(), change), change);
            case REPLICATION_CONTROLLER ->
                ofOwner(
                        StoredObjectTranslator.replicationController(object.getReplicationController(), change),
                        change);
            case REPLICA_SET -> ofOwner(StoredObjectTranslator.replicaSet(object.getReplicaSet(), change), change);
            case STATEFUL_SET -> ofOwner(StoredObjectTranslator.statefulSet(object.getStatefulSet(), change), change);
            case POD, OBJECT_NOT_SET ->
                throw new IllegalArgumentException("must be an object that is parsed, was " + object.getObjectCase());
        };
    }

    private static ObjectChange ofOwner(OwnerObject owner, Change change) {
        return writer -> writer.apply(change, owner);
    }

    /** The name of the field that holds the object. */
    static String fieldOf(ClusterObject.ObjectCase kind) {
        return switch (kind) {
            case NODE -> "node";
            case POD -> "pod";
            case SERVICE -> "service";
            case REPLICATION_CONTROLLER -> "replicationController";
            case REPLICA_SET -> "replicaSet";
            case STATEFUL_SET -> "statefulSet";
            case OBJECT_NOT_SET -> "object";
        };
    }

    static ObjectMeta metadataOf(ClusterObject object) {
        return switch (object.getObjectCase()) {
            case NODE -> object.getNode().getMetadata();
            case POD -> object.getPod().getMetadata();
            case SERVICE -> object.getService().getMetadata();
            case REPLICATION_CONTROLLER -> object.getReplicationController().getMetadata();
            case REPLICA_SET -> object.getReplicaSet().getMetadata();
            case STATEFUL_SET -> object.getStatefulSet().getMetadata();
            case OBJECT_NOT_SET -> ObjectMeta.getDefaultInstance();
        };
    }
}

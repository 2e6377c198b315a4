package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;
import org.jspecify.annotations.Nullable;

/** The kinds of Kubernetes objects that topology spread depends on. */
public enum ManifestKind {
    NODE("v1", "Node", Node.getDefaultInstance()),
    POD("v1", "Pod", Pod.getDefaultInstance()),
    SERVICE("v1", "Service", Service.getDefaultInstance()),
    REPLICATION_CONTROLLER("v1", "ReplicationController", ReplicationController.getDefaultInstance()),
    REPLICA_SET("apps/v1", "ReplicaSet", ReplicaSet.getDefaultInstance()),
    STATEFUL_SET("apps/v1", "StatefulSet", StatefulSet.getDefaultInstance());

    private final String apiVersion;
    private final String kindName;
    private final Message prototype;

    ManifestKind(String apiVersion, String kindName, Message prototype) {
        this.apiVersion = apiVersion;
        this.kindName = kindName;
        this.prototype = prototype;
    }

    /** The {@code apiVersion} of its objects. */
    public String apiVersion() {
        return apiVersion;
    }

    /** The {@code kind} of its objects. */
    public String kindName() {
        return kindName;
    }

    /** The kind with this name, or null. */
    static @Nullable ManifestKind named(String kindName) {
        for (ManifestKind kind : values()) {
            if (kind.kindName.equals(kindName)) {
                return kind;
            }
        }
        return null;
    }

    Message.Builder newBuilder() {
        return prototype.newBuilderForType();
    }
}

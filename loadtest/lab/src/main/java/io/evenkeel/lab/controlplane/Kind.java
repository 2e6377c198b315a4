package io.evenkeel.lab.controlplane;

import com.google.protobuf.Message;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.ReplicaSet;
import io.evenkeel.v1.ReplicationController;
import io.evenkeel.v1.Service;
import io.evenkeel.v1.StatefulSet;

/** The kinds of objects that Evenkeel watches, with their names in the API and in etcd. */
public enum Kind {
    NODE("v1", "Node", "nodes", "minions", Node.getDefaultInstance()),
    POD("v1", "Pod", "pods", "pods", Pod.getDefaultInstance()),
    SERVICE("v1", "Service", "services", "services/specs", Service.getDefaultInstance()),
    REPLICATION_CONTROLLER(
            "v1",
            "ReplicationController",
            "replicationcontrollers",
            "controllers",
            ReplicationController.getDefaultInstance()),
    REPLICA_SET("apps/v1", "ReplicaSet", "replicasets", "replicasets", ReplicaSet.getDefaultInstance()),
    STATEFUL_SET("apps/v1", "StatefulSet", "statefulsets", "statefulsets", StatefulSet.getDefaultInstance());

    private final String apiVersion;
    private final String kind;
    private final String resource;
    private final String registry;
    private final Message prototype;

    Kind(String apiVersion, String kind, String resource, String registry, Message prototype) {
        this.apiVersion = apiVersion;
        this.kind = kind;
        this.resource = resource;
        this.registry = registry;
        this.prototype = prototype;
    }

    public String apiVersion() {
        return apiVersion;
    }

    /** The name used in objects: {@code Pod}. */
    public String kind() {
        return kind;
    }

    /** The path of all its objects: {@code /api/v1/pods}. */
    public String path() {
        return root() + '/' + resource;
    }

    /** The path of its objects in a namespace. Not for nodes. */
    public String path(String namespace) {
        return this == NODE ? path() : root() + "/namespaces/" + namespace + '/' + resource;
    }

    private String root() {
        return (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
    }

    /** The prefix of its objects' keys in etcd. */
    public String keyPrefix() {
        return "/registry/" + registry + '/';
    }

    /** The message type, which has only the fields that topology spread depends on. */
    public Message prototype() {
        return prototype;
    }
}

package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The path under which the API server serves each kind of objects. */
public final class ApiResource {
    private ApiResource() {}

    /** The name of the resource, as in a ClusterRole. */
    public static String plural(ObjectKind kind) {
        return switch (kind) {
            case NODE -> "nodes";
            case POD -> "pods";
            case SERVICE -> "services";
            case REPLICATION_CONTROLLER -> "replicationcontrollers";
            case REPLICA_SET -> "replicasets";
            case STATEFUL_SET -> "statefulsets";
        };
    }

    /** The path of all its objects. */
    static String path(ObjectKind kind) {
        return group(kind) + plural(kind);
    }

    /** The path of its objects in a namespace. Nodes have no namespace. */
    static String path(ObjectKind kind, String namespace) {
        return kind == ObjectKind.NODE
                ? path(kind)
                : group(kind) + "namespaces/" + URLEncoder.encode(namespace, StandardCharsets.UTF_8) + "/"
                        + plural(kind);
    }

    private static String group(ObjectKind kind) {
        return switch (kind) {
            case NODE, POD, SERVICE, REPLICATION_CONTROLLER -> "/api/v1/";
            case REPLICA_SET, STATEFUL_SET -> "/apis/apps/v1/";
        };
    }
}

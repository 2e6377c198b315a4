package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of objects that make up a cluster, with their names in Kubernetes. A snapshot covers some or all of them.
 */
public enum ObjectKind {
    NODE("v1", "Node"),
    POD("v1", "Pod"),
    SERVICE("v1", "Service"),
    REPLICATION_CONTROLLER("v1", "ReplicationController"),
    REPLICA_SET("apps/v1", "ReplicaSet"),
    STATEFUL_SET("apps/v1", "StatefulSet"),
    POD_DISRUPTION_BUDGET("policy/v1", "PodDisruptionBudget");

    public static final Set<ObjectKind> ALL = Collections.unmodifiableSet(EnumSet.allOf(ObjectKind.class));

    /** The kinds that answers about the placement of pods depend on: all but budgets, which only removals respect. */
    public static final Set<ObjectKind> OF_PLACEMENT =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(POD_DISRUPTION_BUDGET)));

    /** The kinds of {@link OwnerObject}. */
    public static final Set<ObjectKind> OWNERS = Collections.unmodifiableSet(EnumSet.range(SERVICE, STATEFUL_SET));

    private final String apiVersion;
    private final String kindName;

    ObjectKind(String apiVersion, String kindName) {
        this.apiVersion = apiVersion;
        this.kindName = kindName;
    }

    /** The kind that an object names as its {@code kind}; null if it is none of these. */
    public static @Nullable ObjectKind named(String kindName) {
        for (ObjectKind kind : ALL) {
            if (kind.kindName.equals(kindName)) {
                return kind;
            }
        }
        return null;
    }

    /** The {@code apiVersion} of its objects. */
    public String apiVersion() {
        return apiVersion;
    }

    /** The {@code kind} of its objects. */
    public String kindName() {
        return kindName;
    }

    /** Whether its objects belong to a namespace. */
    public boolean isNamespaced() {
        return this != NODE;
    }

    /** Whether {@code controller} refers to an object of this kind. A Service is never a controller. */
    public boolean isReferredToBy(ControllerRef controller) {
        return OWNERS.contains(this)
                && this != SERVICE
                && kindName.equals(controller.kind())
                && (apiVersion.equals(controller.apiVersion()) || isOfCore(controller.apiVersion()));
    }

    /** Whether it belongs to the core group, which has no name: {@code schema.ParseGroupVersion} reads /v1 as v1. */
    private boolean isOfCore(String named) {
        return apiVersion.equals("v1") && named.equals("/v1");
    }
}

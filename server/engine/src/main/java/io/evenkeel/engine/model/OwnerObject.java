package io.evenkeel.engine.model;

import org.jspecify.annotations.Nullable;

/**
 * A service or controller. Default constraints take their selector from it.
 *
 * @param uid opaque, not empty
 * @param resourceVersion as an unsigned integer; 0 if unknown, which always counts as newer
 * @param selector null if the object has no selector or one that cannot be parsed; it then adds nothing to the
 *     constraints
 */
public record OwnerObject(
        Kind kind,
        String namespace,
        String name,
        String uid,
        long resourceVersion,
        @Nullable PodSelector selector) {
    /** The same object at another version. */
    public OwnerObject atVersion(long version) {
        return version == resourceVersion ? this : new OwnerObject(kind, namespace, name, uid, version, selector);
    }

    /** The kinds that kube-scheduler's {@code helper.DefaultSelector} looks at. */
    public enum Kind {
        SERVICE("v1", "Service", ObjectKind.SERVICE),
        REPLICATION_CONTROLLER("v1", "ReplicationController", ObjectKind.REPLICATION_CONTROLLER),
        REPLICA_SET("apps/v1", "ReplicaSet", ObjectKind.REPLICA_SET),
        STATEFUL_SET("apps/v1", "StatefulSet", ObjectKind.STATEFUL_SET);

        private final String apiVersion;
        private final String kindName;
        private final ObjectKind objectKind;

        Kind(String apiVersion, String kindName, ObjectKind objectKind) {
            this.apiVersion = apiVersion;
            this.kindName = kindName;
            this.objectKind = objectKind;
        }

        /** The object kind of this kind. */
        public ObjectKind objectKind() {
            return objectKind;
        }

        /** Whether {@code controller} refers to an object of this kind. A Service is never a controller. */
        public boolean isReferredToBy(ControllerRef controller) {
            return this != SERVICE
                    && kindName.equals(controller.kind())
                    && (apiVersion.equals(controller.apiVersion()) || isOfCore(controller.apiVersion()));
        }

        /**
         * Whether it belongs to the core group, which has no name: {@code schema.ParseGroupVersion} reads /v1 as v1.
         */
        private boolean isOfCore(String named) {
            return apiVersion.equals("v1") && named.equals("/v1");
        }
    }
}

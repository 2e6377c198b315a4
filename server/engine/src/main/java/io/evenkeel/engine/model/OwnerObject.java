package io.evenkeel.engine.model;

import org.jspecify.annotations.Nullable;

/**
 * A service or controller. Default constraints take their selector from it.
 *
 * @param kind one of {@link ObjectKind#OWNERS}, the kinds that kube-scheduler's {@code helper.DefaultSelector} looks at
 * @param uid opaque, not empty
 * @param resourceVersion as an unsigned integer; 0 if unknown, which always counts as newer
 * @param selector null if the object has no selector or one that cannot be parsed; it then adds nothing to the
 *     constraints
 */
public record OwnerObject(
        ObjectKind kind,
        String namespace,
        String name,
        String uid,
        long resourceVersion,
        @Nullable PodSelector selector)
        implements NamespacedObject<OwnerObject> {
    @Override
    public OwnerObject atVersion(long version) {
        return version == resourceVersion ? this : new OwnerObject(kind, namespace, name, uid, version, selector);
    }
}

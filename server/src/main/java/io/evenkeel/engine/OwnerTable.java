package io.evenkeel.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Services and controllers, by UID and by name, for the selectors of default constraints.
 *
 * <p>A namespace's {@link #version} moves whenever a selector could come out otherwise; plans made from defaults hold only as long as it stays.
 */
final class OwnerTable {
    private record Name(OwnerObject.Kind kind, String namespace, String name) {}

    private final Map<String, OwnerObject> byUid = new HashMap<>();
    private final Map<Name, OwnerObject> byName = new HashMap<>();
    private final Map<String, Map<String, OwnerObject>> services = new HashMap<>();
    private final Map<String, Long> versions = new HashMap<>();
    private long changes;

    @Nullable
    OwnerObject find(String uid) {
        return byUid.get(uid);
    }

    /** The object stored under the kind and name of {@code owner}. */
    @Nullable
    OwnerObject namesake(OwnerObject owner) {
        return byName.get(nameOf(owner));
    }

    /** Stores an object, in place of one of the same UID or name; answers whether a selector could come out otherwise. */
    boolean put(OwnerObject owner) {
        OwnerObject old = byUid.put(owner.uid(), owner);
        if (old != null && !nameOf(old).equals(nameOf(owner))) {
            unname(old);
        }
        OwnerObject namesake = byName.put(nameOf(owner), owner);
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            byUid.remove(namesake.uid());
        }
        if (owner.kind() == OwnerObject.Kind.SERVICE) {
            services.computeIfAbsent(owner.namespace(), namespace -> new HashMap<>())
                    .put(owner.name(), owner);
        }
        if (namesake != null && Objects.equals(namesake.selector(), owner.selector())) {
            return old == null;
        }
        moved(owner.namespace());
        return true;
    }

    boolean remove(String uid) {
        OwnerObject owner = byUid.remove(uid);
        if (owner == null) {
            return false;
        }
        unname(owner);
        moved(owner.namespace());
        return true;
    }

    /** Moves when the owners of a namespace change; 0 where it never had any. */
    long version(String namespace) {
        return versions.getOrDefault(namespace, 0L);
    }

    int size() {
        return byUid.size();
    }

    Iterable<String> uids() {
        return new ArrayList<>(byUid.keySet());
    }

    /**
     * The selector that default constraints get for a pod (kube-scheduler's {@code helper.DefaultSelector}): the labels of every service whose selector matches the pod,
     * merged; a replication controller's, merged over them; the requirements of a replica set's or stateful set's, added. Empty where nothing selects.
     */
    LabelSelector defaultSelector(IncomingPod pod) {
        Map<String, String> merged = new HashMap<>();
        for (OwnerObject service :
                services.getOrDefault(pod.namespace(), Map.of()).values()) {
            LabelSelector selector = service.selector();
            if (selector != null && !selector.isEmpty() && selector.matches(pod.labels())) {
                merge(merged, selector);
            }
        }
        ControllerRef controller = pod.controller();
        OwnerObject owner = controller == null ? null : controllerOf(pod.namespace(), controller);
        LabelSelector ownSelector = owner == null ? null : owner.selector();
        if (owner == null || ownSelector == null) {
            return LabelSelector.ofLabels(merged);
        }
        if (owner.kind() == OwnerObject.Kind.REPLICATION_CONTROLLER) {
            merge(merged, ownSelector);
            return LabelSelector.ofLabels(merged);
        }
        return LabelSelector.ofLabels(merged).and(ownSelector);
    }

    private @Nullable OwnerObject controllerOf(String namespace, ControllerRef controller) {
        for (OwnerObject.Kind kind : OwnerObject.Kind.values()) {
            if (kind.isReferredToBy(controller)) {
                return byName.get(new Name(kind, namespace, controller.name()));
            }
        }
        return null;
    }

    /** The selectors of services and replication controllers are maps: each requirement is one pair. */
    private static void merge(Map<String, String> into, LabelSelector selector) {
        for (LabelRequirement pair : selector.requirements()) {
            into.put(pair.key(), pair.values().get(0));
        }
    }

    private void unname(OwnerObject owner) {
        byName.remove(nameOf(owner), owner);
        if (owner.kind() == OwnerObject.Kind.SERVICE) {
            services.computeIfPresent(owner.namespace(), (namespace, there) -> {
                there.remove(owner.name(), owner);
                return there.isEmpty() ? null : there;
            });
        }
    }

    private void moved(String namespace) {
        versions.put(namespace, ++changes);
    }

    private static Name nameOf(OwnerObject owner) {
        return new Name(owner.kind(), owner.namespace(), owner.name());
    }

    List<OwnerObject> all() {
        return List.copyOf(byUid.values());
    }
}

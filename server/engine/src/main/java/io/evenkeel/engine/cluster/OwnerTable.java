package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.ControllerRef;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodSelector;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores services and controllers, by UID and by name, and derives the selectors of default constraints from them.
 *
 * <pre>
 *   byUid         UID → object
 *   namespaces    name → its objects by kind and name, its services by label, and its version; only namespaces that
 *                 have objects
 *   edition       a part that was made in this edition belongs to this table alone; the others may also belong to a
 *                 copy, and are copied before they are changed
 * </pre>
 *
 * <p>A namespace's {@link #version} changes whenever a selector of its pods may change. A plan that was made from
 * default constraints is valid only as long as the version stays the same. No version is used twice except 0, which
 * means that the namespace has no owners, so that every selector is empty.
 */
public final class OwnerTable implements ObjectTable<OwnerObject> {
    private static final class InNamespace {
        final Map<ObjectKind, Map<String, OwnerObject>> byName = new EnumMap<>(ObjectKind.class);
        final ServiceIndex services;
        final Object edition;
        long version;

        InNamespace(Object edition) {
            services = new ServiceIndex();
            this.edition = edition;
        }

        InNamespace(InNamespace other, Object edition) {
            other.byName.forEach((kind, named) -> byName.put(kind, new HashMap<>(named)));
            services = new ServiceIndex(other.services);
            version = other.version;
            this.edition = edition;
        }

        Map<String, OwnerObject> of(ObjectKind kind) {
            return byName.getOrDefault(kind, Map.of());
        }
    }

    private Map<String, OwnerObject> byUid = new HashMap<>();
    private Map<String, InNamespace> namespaces = new HashMap<>();
    private Object edition = new Object();
    private Object mapsEdition = edition;
    private long changes;

    public OwnerTable() {}

    /** A copy. */
    public OwnerTable(OwnerTable other) {
        byUid = other.byUid;
        namespaces = other.namespaces;
        changes = other.changes;
        mapsEdition = other.mapsEdition;
        other.edition = new Object();
    }

    /** Called before a change. */
    private void ownMaps() {
        if (mapsEdition != edition) {
            byUid = new HashMap<>(byUid);
            namespaces = new HashMap<>(namespaces);
            mapsEdition = edition;
        }
    }

    /** A namespace's owners, which this table may change. */
    private InNamespace own(InNamespace there) {
        return there.edition == edition ? there : new InNamespace(there, edition);
    }

    @Override
    public @Nullable OwnerObject find(String uid) {
        return byUid.get(uid);
    }

    @Override
    public @Nullable OwnerObject namesake(OwnerObject owner) {
        InNamespace there = namespaces.get(owner.namespace());
        return there == null ? null : there.of(owner.kind()).get(owner.name());
    }

    @Override
    public boolean put(OwnerObject owner) {
        ownMaps();
        OwnerObject old = byUid.put(owner.uid(), owner);
        boolean moves = old != null && !hasSameName(old, owner);
        if (moves) {
            unname(Objects.requireNonNull(old));
        }
        InNamespace there = Objects.requireNonNull(namespaces.compute(
                owner.namespace(), (name, known) -> known == null ? new InNamespace(edition) : own(known)));
        OwnerObject namesake = there.byName
                .computeIfAbsent(owner.kind(), kind -> new HashMap<>())
                .put(owner.name(), owner);
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            byUid.remove(namesake.uid());
        }
        if (namesake == null || !Objects.equals(namesake.selector(), owner.selector())) {
            if (owner.kind() == ObjectKind.SERVICE) {
                if (namesake != null) {
                    there.services.remove(namesake);
                }
                there.services.add(owner);
            }
            there.version = ++changes;
            return true;
        }
        return old == null || moves;
    }

    @Override
    public boolean remove(String uid) {
        ownMaps();
        OwnerObject owner = byUid.remove(uid);
        if (owner == null) {
            return false;
        }
        unname(owner);
        return true;
    }

    /** Changes whenever the owners of a namespace change; 0 if it has none. */
    public long version(String namespace) {
        InNamespace there = namespaces.get(namespace);
        return there == null ? 0 : there.version;
    }

    /** Grows with every change after which some selector may be different. */
    public long changes() {
        return changes;
    }

    @Override
    public int size() {
        return byUid.size();
    }

    /** How many namespaces have owners. */
    public int namespaces() {
        return namespaces.size();
    }

    /** Reads the objects namespace by namespace. */
    @Override
    public Iterator<OwnerObject> of(ObjectKind kind) {
        return List.copyOf(namespaces.keySet()).stream()
                .flatMap(namespace -> of(kind, namespace).stream())
                .iterator();
    }

    private List<OwnerObject> of(ObjectKind kind, String namespace) {
        InNamespace there = namespaces.get(namespace);
        return there == null ? List.of() : List.copyOf(there.of(kind).values());
    }

    /**
     * The selector that default constraints get for a pod (kube-scheduler's {@code helper.DefaultSelector}). It merges
     * the selectors of all services that match the pod, then that of its replication controller, and then the
     * requirements of its replica set or stateful set. Empty if no owner has a selector.
     */
    public PodSelector defaultSelector(IncomingPod pod) {
        Map<String, String> merged = new HashMap<>();
        InNamespace there = namespaces.get(pod.namespace());
        if (there != null) {
            there.services.forEachMatch(pod.labels(), selector -> merge(merged, selector));
        }
        ObjectKind kind = kindOf(pod.controller());
        PodSelector ownSelector =
                kind == null ? null : selectorOf(there, kind, Objects.requireNonNull(pod.controller()));
        if (ownSelector == null) {
            return PodSelector.ofLabels(merged);
        }
        if (kind == ObjectKind.REPLICATION_CONTROLLER) {
            merge(merged, ownSelector);
            return PodSelector.ofLabels(merged);
        }
        return PodSelector.ofLabels(merged).and(ownSelector);
    }

    private static @Nullable ObjectKind kindOf(@Nullable ControllerRef controller) {
        if (controller != null) {
            for (ObjectKind kind : ObjectKind.OWNERS) {
                if (kind.isReferredToBy(controller)) {
                    return kind;
                }
            }
        }
        return null;
    }

    /** The selector that the reference contains, otherwise that of the object that it names. */
    private static @Nullable PodSelector selectorOf(
            @Nullable InNamespace there, ObjectKind kind, ControllerRef controller) {
        if (controller.selector() != null) {
            return controller.selector();
        }
        OwnerObject owner = there == null ? null : there.of(kind).get(controller.name());
        return owner == null ? null : owner.selector();
    }

    /** The selectors of services and replication controllers are maps: each requirement is one pair. */
    private static void merge(Map<String, String> into, PodSelector selector) {
        for (LabelRequirement pair : selector.requirements()) {
            into.put(pair.key(), pair.values().get(0));
        }
    }

    /** Removes an object from its namespace, which gets a new version. */
    private void unname(OwnerObject owner) {
        namespaces.computeIfPresent(owner.namespace(), (name, known) -> {
            InNamespace there = own(known);
            there.byName.computeIfPresent(owner.kind(), (kind, named) -> {
                if (named.remove(owner.name(), owner) && kind == ObjectKind.SERVICE) {
                    there.services.remove(owner);
                }
                return named.isEmpty() ? null : named;
            });
            there.version = ++changes;
            return there.byName.isEmpty() ? null : there;
        });
    }

    private static boolean hasSameName(OwnerObject one, OwnerObject other) {
        return one.kind() == other.kind()
                && one.namespace().equals(other.namespace())
                && one.name().equals(other.name());
    }

    List<OwnerObject> all() {
        return List.copyOf(byUid.values());
    }
}

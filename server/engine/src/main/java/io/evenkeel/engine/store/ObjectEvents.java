package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.ObjectTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.NamespacedObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.VersionOrder;

/** Applies events of services, controllers and budgets to their table. */
public final class ObjectEvents<T extends NamespacedObject<T>> {
    private final ObjectTable<T> table;
    private final Tombstones tombstones;
    private final NamedObjects named;
    private final KindVersions versions;

    ObjectEvents(ClusterStore store, ObjectTable<T> table) {
        this.table = table;
        tombstones = store.tombstones;
        named = store.named;
        versions = store.versions;
    }

    /** Applies an event; returns whether it changed anything that an answer could show. */
    public boolean apply(Change change, T object) {
        T stored = table.find(object.uid());
        if (change == Change.DELETED) {
            long last = stored == null ? 0 : stored.resourceVersion();
            tombstones.remember(object.uid(), VersionOrder.newest(last, object.resourceVersion()));
            return table.remove(object.uid());
        }
        ObjectKind kind = object.kind();
        long known = stored == null ? tombstones.version(object.uid()) : stored.resourceVersion();
        versions.goBack(kind, change, stored == null ? 0 : known, object.resourceVersion());
        T namesake = table.namesake(object);
        if (stored == null) {
            if (!tombstones.admits(object.uid(), change, object.resourceVersion(), namesake != null)) {
                return false;
            }
            if (namesake != null
                    && named.keepsName(kind, namesake.uid())
                    && VersionOrder.isStale(change, namesake.resourceVersion(), object.resourceVersion())) {
                return false;
            }
        } else if (VersionOrder.isStale(change, known, object.resourceVersion())) {
            named.takeStale(kind, object.uid(), known, object.resourceVersion());
            return false;
        }
        named.take(kind, object.uid());
        tombstones.forget(object.uid());
        if (namesake != null && !namesake.uid().equals(object.uid())) {
            tombstones.rememberReplaced(namesake.uid(), namesake.resourceVersion());
        }
        return table.put(object.atVersion(VersionOrder.kept(known, object.resourceVersion())));
    }
}

package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.VersionOrder;

/** Applies events of services and controllers to the owner table. */
public final class OwnerEvents {
    private final OwnerTable owners;
    private final Tombstones tombstones;
    private final NamedObjects named;
    private final KindVersions versions;

    OwnerEvents(ClusterStore store) {
        owners = store.owners;
        tombstones = store.tombstones;
        named = store.named;
        versions = store.versions;
    }

    /** Applies an event; returns whether it changed anything that an answer could show. */
    public boolean apply(Change change, OwnerObject owner) {
        OwnerObject stored = owners.find(owner.uid());
        if (change == Change.DELETED) {
            long last = stored == null ? 0 : stored.resourceVersion();
            tombstones.remember(owner.uid(), VersionOrder.newest(last, owner.resourceVersion()));
            return owners.remove(owner.uid());
        }
        ObjectKind kind = owner.kind();
        long known = stored == null ? tombstones.version(owner.uid()) : stored.resourceVersion();
        versions.goBack(kind, change, stored == null ? 0 : known, owner.resourceVersion());
        OwnerObject namesake = owners.namesake(owner);
        if (stored == null) {
            if (!tombstones.admits(owner.uid(), change, owner.resourceVersion(), namesake != null)) {
                return false;
            }
            if (namesake != null
                    && named.keepsName(kind, namesake.uid())
                    && VersionOrder.isStale(change, namesake.resourceVersion(), owner.resourceVersion())) {
                return false;
            }
        } else if (VersionOrder.isStale(change, known, owner.resourceVersion())) {
            named.takeStale(kind, owner.uid(), known, owner.resourceVersion());
            return false;
        }
        named.take(kind, owner.uid());
        tombstones.forget(owner.uid());
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            tombstones.rememberReplaced(namesake.uid(), namesake.resourceVersion());
        }
        return owners.put(owner.atVersion(VersionOrder.kept(known, owner.resourceVersion())));
    }
}

package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.OwnerTable;
import io.evenkeel.engine.cluster.Tombstones;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.ResourceVersions;

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
            tombstones.remember(owner.uid(), ResourceVersions.newest(last, owner.resourceVersion()));
            return owners.remove(owner.uid());
        }
        named.name(owner.kind().objectKind(), owner.uid());
        long known = stored == null ? tombstones.version(owner.uid()) : stored.resourceVersion();
        versions.goBack(owner.kind().objectKind(), change, stored == null ? 0 : known, owner.resourceVersion());
        OwnerObject namesake = owners.namesake(owner);
        if (stored == null
                ? !tombstones.admits(owner.uid(), change, owner.resourceVersion(), namesake != null)
                : ResourceVersions.isStale(change, stored.resourceVersion(), owner.resourceVersion())) {
            return false;
        }
        tombstones.forget(owner.uid());
        if (namesake != null && !namesake.uid().equals(owner.uid())) {
            tombstones.rememberReplaced(namesake.uid(), namesake.resourceVersion());
        }
        return owners.put(owner.atVersion(ResourceVersions.kept(known, owner.resourceVersion())));
    }
}

package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.PagedSpace;

/**
 * The largest sizes of the engine's tables. An object for which there is no room is rejected with a
 * {@link CapacityException} before anything changes. Tables that are not named here are bounded only by memory.
 *
 * @param textPages pages of texts, of 64 KiB each
 * @param classPages pages of label classes, of 64 KiB each
 * @param hosts names of hosts: of nodes, and of nodes that pods are bound to
 * @param pods pods, and UIDs of deleted ones
 */
public record Capacity(int textPages, int classPages, int hosts, int pods) {
    /** 8 GiB of texts, as much of label classes, 8 million hosts, 2 billion pods. */
    public static final Capacity LARGEST =
            new Capacity(PagedSpace.MAX_PAGES, PagedSpace.MAX_PAGES, PodTable.HOST_LIMIT, IdTable.LIMIT);
}

package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.PagedSpace;

/**
 * How much the tables that number what they hold can number. What has no room is refused with a
 * {@link CapacityException} before anything is changed. The others are bounded by memory alone.
 *
 * @param textPages pages of texts, of 64 KiB each
 * @param classPages pages of label classes, of 64 KiB each
 * @param hosts names of nodes that pods or nodes have
 * @param pods pods, and UIDs of deleted ones
 */
public record Capacity(int textPages, int classPages, int hosts, int pods) {
    /** 8 GiB of texts, as much of label classes, 67 million hosts, 2 billion pods. */
    public static final Capacity LARGEST =
            new Capacity(PagedSpace.MOST_PAGES, PagedSpace.MOST_PAGES, PodTable.HOST_LIMIT, IdTable.LIMIT);
}

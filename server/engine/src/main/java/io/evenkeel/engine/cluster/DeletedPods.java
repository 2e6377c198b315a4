package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.VersionOrder;

/**
 * Tombstones of recently deleted pods, kept so that a late event does not bring one back. Each keeps its row in the pod
 * table, with UID and newest version, so one look-up finds a UID whether its pod is live or deleted. Their number is
 * bounded; the pod deleted first is forgotten first.
 *
 * <pre>
 *   oldest ─► … ─► youngest      a queue by the links that a pod has on its host: next younger, next older
 * </pre>
 */
public final class DeletedPods {
    private static final int NONE = PodTable.NONE;
    private static final int YOUNGER = PodTable.HOST_LINKS;
    private static final int OLDER = PodTable.HOST_LINKS + 1;

    private final PodTable pods;
    private final int limit;
    private int oldest = NONE;
    private int youngest = NONE;
    private int size;

    public DeletedPods(PodTable pods, int limit) {
        this.pods = pods;
        this.limit = limit;
    }

    /**
     * A copy that remembers as many deletions as the other does now.
     *
     * @param pods a copy of the other's
     */
    public DeletedPods(DeletedPods other, PodTable pods) {
        this.pods = pods;
        limit = other.size;
        oldest = other.oldest;
        youngest = other.youngest;
        size = other.size;
    }

    public int size() {
        return size;
    }

    /** How many pods are kept at most. */
    public int limit() {
        return limit;
    }

    /** The row of the pod that was deleted first, or NONE. */
    public int oldest() {
        return oldest;
    }

    /** The row of the pod that was deleted next, or NONE. */
    public int younger(int row) {
        return pods.get(row, YOUNGER);
    }

    /** Keeps the row of a pod that was just deleted. If the limit is exceeded, the oldest row is freed. */
    public void remember(int row, long version) {
        pods.setVersion(row, version);
        pods.set(row, OLDER, youngest);
        pods.set(row, YOUNGER, NONE);
        if (youngest == NONE) {
            oldest = row;
        } else {
            pods.set(youngest, YOUNGER, row);
        }
        youngest = row;
        if (++size > limit) {
            int gone = oldest;
            forget(gone);
            pods.free(gone);
        }
    }

    /** Moves a row to the young end, because its deletion was reported again. The newest of the versions stays. */
    public void rememberAgain(int row, long version) {
        long newest = VersionOrder.newest(pods.version(row), version);
        forget(row);
        remember(row, newest);
    }

    /** Takes a row out of the queue because its pod is coming back. */
    public void forget(int row) {
        int older = pods.get(row, OLDER);
        int younger = pods.get(row, YOUNGER);
        if (older == NONE) {
            oldest = younger;
        } else {
            pods.set(older, YOUNGER, younger);
        }
        if (younger == NONE) {
            youngest = older;
        } else {
            pods.set(younger, OLDER, older);
        }
        size--;
    }
}

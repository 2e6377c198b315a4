package io.evenkeel.engine.cluster;

import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.PodRecord;
import java.util.List;

/**
 * Loads the memory that the next pod events need into the processor's cache, for all of these events at the same time.
 * Otherwise each event would wait for its own cache misses. It reads in rounds, since each round needs the result of
 * the one before.
 *
 * <pre>
 *   cells of the UID and the name ─► the pod's row ─► the rows next to it in its lists, and the text of its name
 * </pre>
 *
 * It changes nothing. The sums that it returns have no meaning: they only keep the compiler from eliminating the reads.
 */
public final class PodFetch {
    private final Namespaces namespaces;
    private final PodTable pods;
    private int[] uidHashes = new int[64];
    private int[] nameHashes = new int[64];
    private int[] rows = new int[64];

    public PodFetch(Namespaces namespaces, PodTable pods) {
        this.namespaces = namespaces;
        this.pods = pods;
    }

    public int fetch(List<PodRecord> coming) {
        int size = coming.size();
        if (size > rows.length) {
            uidHashes = new int[size];
            nameHashes = new int[size];
            rows = new int[size];
        }
        int names = 0;
        for (int i = 0; i < size; i++) {
            PodRecord pod = coming.get(i);
            uidHashes[i] = KeyedHash.of(pod.uid.high(), pod.uid.low());
            Namespace in = namespaces.findInRun(pod.bytes, pod.namespaceFrom, pod.namespaceTo);
            if (in != null) {
                nameHashes[names++] = PodTable.nameHash(pod, in);
            }
        }
        // The loops do almost nothing but read, so that the processor can overlap many reads.
        int all = pods.fetchCells(uidHashes, size, nameHashes, names);
        int known = pods.probable(uidHashes, size, rows);
        for (int i = 0; i < known; i++) {
            all += pods.fetchRow(rows[i]);
        }
        for (int i = 0; i < known; i++) {
            all += pods.fetchAround(rows[i]);
        }
        return all;
    }
}

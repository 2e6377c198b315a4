package io.evenkeel.engine.cluster;

import io.evenkeel.engine.labels.Namespace;
import io.evenkeel.engine.labels.Namespaces;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.PodRecord;
import java.util.List;

/**
 * Has the processor fetch from memory what the next events will look at, for all of them at once: one after another
 * they would each wait for it. In rounds, of which each needs what the one before brought.
 *
 * <pre>
 *   cells of the UID and the name ─► the pod's row ─► the rows next to it in its lists, the text of its name
 * </pre>
 *
 * Changes nothing. What it adds up means nothing, but makes sure that it is read.
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
        // Loops that do next to nothing but read: the more of them the processor sees at a time, the more it reads at
        // once.
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

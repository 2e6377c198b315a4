package io.evenkeel.engine.store;

import io.evenkeel.engine.cluster.HostTable;
import io.evenkeel.engine.cluster.PodColumns;
import io.evenkeel.engine.cluster.PodTable;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.labels.LabelClasses;
import java.util.Arrays;

/**
 * Scans the pods in the order of their ids, and tallies those whose classes a group must count.
 *
 * <pre>
 *   known[hash of class]    the class that was looked up there last in this slice, or NONE
 *   scanned[hash]           whether it is scanned
 * </pre>
 *
 * Nothing is kept from slice to slice, because classes and nodes change in between.
 */
final class PodScan {
    private static final int KNOWN_BITS = 8;

    private final PodTable table;
    private final PodColumns columns;
    private final HostTable hosts;
    private final LabelClasses classes;
    private final int slice;
    private final int[] known = new int[1 << KNOWN_BITS];
    private final boolean[] scanned = new boolean[1 << KNOWN_BITS];

    /** @param slice how many pods are scanned in one slice */
    PodScan(ClusterStore store, int slice) {
        table = store.pods;
        columns = store.podColumns;
        hosts = store.hosts;
        classes = store.classes;
        this.slice = slice;
    }

    /** Tallies the next slice of pods; returns the id up to which pods were scanned. */
    int count(SpreadGroup group) {
        int from = group.scannedPods();
        int to = Math.min(table.limit(), from + slice);
        Arrays.fill(known, LabelClasses.NONE);
        columns.visit(from, to, new Tally(group));
        return to;
    }

    private boolean isScanned(int labelClass, SpreadGroup group) {
        int cell = labelClass * 0x9E3779B1 >>> Integer.SIZE - KNOWN_BITS;
        if (known[cell] != labelClass) {
            known[cell] = labelClass;
            scanned[cell] = lookUp(labelClass, group);
        }
        return scanned[cell];
    }

    private boolean lookUp(int labelClass, SpreadGroup group) {
        int position = classes.position(labelClass);
        return classes.namespaceOf(labelClass) == group.namespace
                && position >= group.built()
                && position < group.scanEnd()
                && classes.isMatched(labelClass, group.selector.requirements);
    }

    /** The tally of one slice. */
    private final class Tally implements PodColumns.Visitor {
        private final SpreadGroup group;
        private final int[] byHost;
        private int last = LabelClasses.NONE;
        private boolean keeps;

        Tally(SpreadGroup group) {
            this.group = group;
            byHost = group.tally(hosts.limit());
        }

        @Override
        public void visit(int labelClass, int host) {
            if (labelClass != last) {
                last = labelClass;
                keeps = isScanned(labelClass, group);
            }
            if (keeps) {
                byHost[host]++;
            }
        }
    }
}

package io.evenkeel.engine.estimate;

import java.util.BitSet;

/**
 * The pods that one or more constraints count, by domain. Arrays and sets are not copied, and must not change
 * afterwards.
 */
public final class CountedPods {
    final int key;
    final int[] counts;
    final BitSet eligibleNodes;
    final BitSet eligibleTemplates;
    final BitSet shapes;

    /**
     * @param key the number of the topology key
     * @param counts for each existing domain of the key, the matching pods that are bound to eligible nodes
     * @param eligibleNodes the existing nodes whose pods count; they make their domains eligible
     * @param eligibleTemplates the templates whose nodes' pods count
     * @param shapes the pending shapes whose pods match the selector
     */
    public CountedPods(int key, int[] counts, BitSet eligibleNodes, BitSet eligibleTemplates, BitSet shapes) {
        this.key = key;
        this.counts = counts;
        this.eligibleNodes = eligibleNodes;
        this.eligibleTemplates = eligibleTemplates;
        this.shapes = shapes;
    }
}

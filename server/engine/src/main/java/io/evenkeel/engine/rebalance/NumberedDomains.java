package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.Topology;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Numbers the eligible domains over which constraints count, from 0.
 *
 * <pre>
 *   numbers    slot → the number of the domain in which a pod there counts, or NONE
 *   examples   number → one of the domain's slots
 * </pre>
 *
 * Immutable, for a cluster whose nodes do not change.
 */
final class NumberedDomains {
    static final int NONE = -1;

    private final int[] numbers;
    private final int[] examples;

    /** Called under the engine's lock. */
    NumberedDomains(EligibleDomains domains) {
        Topology topology = domains.topology;
        int[] slotIn = new int[topology.domainLimit()];
        Arrays.fill(slotIn, NONE);
        BitSet slots = BitSet.valueOf(domains.eligibility.slots());
        slots.stream().forEach(slot -> slotIn[topology.domainOf(slot)] = slot);
        int[] numberOf = new int[slotIn.length];
        int[] found = new int[slotIn.length];
        int size = 0;
        for (int domain = slotIn.length - 1; domain >= 0; domain--) {
            if (slotIn[domain] != NONE) {
                numberOf[domain] = size;
                found[size++] = slotIn[domain];
            }
        }
        examples = Arrays.copyOf(found, size);
        numbers = new int[slots.length()];
        Arrays.fill(numbers, NONE);
        slots.stream().forEach(slot -> numbers[slot] = numberOf[topology.domainOf(slot)]);
    }

    int size() {
        return examples.length;
    }

    /** The number of the domain in which a pod on a slot counts, or NONE. */
    int of(int slot) {
        return slot < numbers.length ? numbers[slot] : NONE;
    }

    /** One of the slots of a domain. */
    int example(int number) {
        return examples[number];
    }
}

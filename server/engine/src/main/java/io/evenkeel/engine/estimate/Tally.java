package io.evenkeel.engine.estimate;

import java.util.Arrays;

/**
 * The counts of one constraint's domains, with their minimum.
 *
 * <pre>
 *   counts[domain]        matching pods; 0 if the domain is not eligible
 *   domainsAt[c − base]   how many eligible domains have the count c; the last bucket has those with higher counts,
 *                         which the pending pods cannot raise the minimum to
 * </pre>
 */
final class Tally {
    private final int[] counts;
    private final boolean[] eligible;
    private final int[] domainsAt;
    private final int base;
    private final int domains;
    private int minimum;

    /** @param pods how many pods may come at most */
    Tally(int[] counts, boolean[] eligible, int pods) {
        this.counts = counts;
        this.eligible = eligible;
        int least = Integer.MAX_VALUE;
        int number = 0;
        for (int domain = 0; domain < counts.length; domain++) {
            if (eligible[domain]) {
                least = Math.min(least, counts[domain]);
                number++;
            } else {
                counts[domain] = 0;
            }
        }
        domains = number;
        base = number == 0 ? 0 : least;
        minimum = base;
        domainsAt = new int[pods + 2];
        for (int domain = 0; domain < counts.length; domain++) {
            if (eligible[domain]) {
                domainsAt[bucket(counts[domain])]++;
            }
        }
    }

    /** A copy with more domains, of which {@code more} says whether they are eligible. */
    Tally withDomains(boolean[] more, int pods) {
        boolean[] all = Arrays.copyOf(eligible, eligible.length + more.length);
        System.arraycopy(more, 0, all, eligible.length, more.length);
        return new Tally(Arrays.copyOf(counts, all.length), all, pods);
    }

    /** A copy in which a domain is eligible. */
    Tally withEligible(int domain, int pods) {
        boolean[] all = eligible.clone();
        all[domain] = true;
        return new Tally(counts.clone(), all, pods);
    }

    int count(int domain) {
        return counts[domain];
    }

    boolean isEligible(int domain) {
        return eligible[domain];
    }

    int domains() {
        return domains;
    }

    int size() {
        return counts.length;
    }

    /** The global minimum, as a constraint with this {@code minDomains} sees it. */
    int minimum(int minDomains) {
        return domains < minDomains ? 0 : minimum;
    }

    void add(int domain) {
        int count = counts[domain]++;
        int from = bucket(count);
        domainsAt[from]--;
        domainsAt[bucket(count + 1)]++;
        if (count == minimum && domainsAt[from] == 0) {
            minimum++;
        }
    }

    void remove(int domain) {
        int count = counts[domain]--;
        domainsAt[bucket(count)]--;
        domainsAt[bucket(count - 1)]++;
        minimum = Math.min(minimum, count - 1);
    }

    private int bucket(int count) {
        return Math.min(count - base, domainsAt.length - 1);
    }
}

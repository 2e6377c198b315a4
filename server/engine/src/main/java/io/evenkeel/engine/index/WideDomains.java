package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * The layout for many domains of few nodes each (hostnames), and for single nodes.
 *
 * <pre>
 *   domain id   the slot of one of the domain's nodes, its representative
 *   followers   the slots that are not representatives, since two nodes share a value; there are few, in no order
 * </pre>
 *
 * When the representative leaves, a follower replaces it, and its slot becomes the id of the domain.
 */
final class WideDomains implements DomainLayout {
    private static final int[] NO_SLOTS = {};

    private int[] followers = NO_SLOTS;

    int[] followers() {
        return followers;
    }

    /** An immutable copy. */
    WideDomains frozen() {
        WideDomains copy = new WideDomains();
        // The array is never written to, but replaced, so it can be shared.
        copy.followers = followers;
        return copy;
    }

    @Override
    public int enter(int slot, int domain) {
        if (domain == Topology.NONE) {
            return slot;
        }
        followers = Arrays.copyOf(followers, followers.length + 1);
        followers[followers.length - 1] = slot;
        return domain;
    }

    @Override
    public int leave(int slot, int domain, int[] domainOf) {
        if (domain != slot) {
            dropFollower(slot);
            return domain;
        }
        int heir = heirOf(domain, domainOf);
        if (heir != Topology.NONE) {
            dropFollower(heir);
            for (int follower : followers) {
                if (domainOf[follower] == domain) {
                    domainOf[follower] = heir;
                }
            }
            domainOf[heir] = heir;
        }
        return heir;
    }

    @Override
    public void growTo(int capacity) {
        // This layout keeps nothing by slot.
    }

    @Override
    public long bytes(int members) {
        return 4L * followers.length;
    }

    private int heirOf(int domain, int[] domainOf) {
        for (int follower : followers) {
            if (domainOf[follower] == domain) {
                return follower;
            }
        }
        return Topology.NONE;
    }

    private void dropFollower(int slot) {
        int[] kept = new int[followers.length - 1];
        int length = 0;
        for (int follower : followers) {
            if (follower != slot) {
                kept[length++] = follower;
            }
        }
        followers = kept;
    }
}

package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * The layout for many domains of few nodes each (hostnames), and for single nodes.
 *
 * <pre>
 *   domain id   the slot of one of the domain's nodes, its representative
 *   followers   the slots that are not their own representative (two nodes share a value), few; in no order
 * </pre>
 *
 * Where the representative goes, a follower takes its place and gives the domain its id.
 */
final class WideDomains implements DomainLayout {
    private static final int[] NO_SLOTS = {};

    private int[] followers = NO_SLOTS;

    int[] followers() {
        return followers;
    }

    /** A copy that stays as it is. */
    WideDomains frozen() {
        WideDomains copy = new WideDomains();
        // Never written to, but replaced.
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
        // Nothing here is by slot.
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

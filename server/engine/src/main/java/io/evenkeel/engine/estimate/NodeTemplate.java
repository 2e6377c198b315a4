package io.evenkeel.engine.estimate;

/** New nodes of one kind. Arrays are not copied, and must not change afterwards. */
public final class NodeTemplate {
    /** The node does not have the label. */
    public static final int NO_DOMAIN = -1;

    /** Each new node is a separate domain, as for the hostname. */
    public static final int OWN_DOMAIN = -2;

    final long[] free;
    final int[] domains;
    final int max;
    final long price;

    /**
     * @param free what a new node has for pending pods of each resource, after its daemons
     * @param domains the domain for each topology key, {@link #NO_DOMAIN} or {@link #OWN_DOMAIN}
     * @param max how many new nodes there may be
     * @param price what one node costs, at least 1; the same for all templates if the fewest nodes are wanted
     */
    public NodeTemplate(long[] free, int[] domains, int max, long price) {
        if (max < 0 || price < 1) {
            throw new IllegalArgumentException(
                    "max must be at least 0 and price at least 1, were " + max + " and " + price);
        }
        this.free = free;
        this.domains = domains;
        this.max = max;
        this.price = price;
    }
}

package io.evenkeel.engine.index;

/** The number of matching pods in each domain of one spread group; 0 for a domain without any. */
public abstract sealed class DomainCounts permits NarrowCounts, WideCounts {
    /** The count of a domain; 0 for a domain id in which no pod was counted. */
    public abstract int get(int domain);

    /** Counts one more pod; returns the count before. */
    abstract int increment(int domain);

    /** Counts one pod less; returns the count before. */
    abstract int decrement(int domain);

    /** Sets the count of a domain. */
    abstract void set(int domain, int count);

    /** A copy, which can be changed independently. */
    abstract DomainCounts copy();

    /** How many bytes the counts take. */
    abstract long bytes();
}

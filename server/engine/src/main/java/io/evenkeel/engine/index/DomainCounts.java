package io.evenkeel.engine.index;

/** The matching pods of each domain of one spread group; a domain nobody counted in holds 0. */
public abstract sealed class DomainCounts permits NarrowCounts, WideCounts {
    /** The count of a domain; 0 for any domain id never counted in. */
    public abstract int get(int domain);

    /** One pod more; answers what the count was before. */
    abstract int increment(int domain);

    /** One pod less; answers what the count was before. */
    abstract int decrement(int domain);

    /** Sets a domain's count, from whatever it was. */
    abstract void set(int domain, int count);

    /** The same counts, to be changed apart. */
    abstract DomainCounts copy();

    /** The memory that the counts take. */
    abstract long bytes();
}

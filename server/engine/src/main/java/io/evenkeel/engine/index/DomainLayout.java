package io.evenkeel.engine.index;

/** What a topology's domain ids are, and what is known of each domain beside its id. */
sealed interface DomainLayout permits NarrowDomains, WideDomains {
    /**
     * A slot comes to a domain.
     *
     * @param domain NONE where the slot is the first of a new one
     * @return the domain's id
     */
    int enter(int slot, int domain);

    /**
     * A slot leaves its domain.
     *
     * @param domainOf the domain of each slot, NONE for this one already; changed where the domain gets another id
     * @return the domain's id from now on; NONE where the slot was its last
     */
    int leave(int slot, int domain, int[] domainOf);

    /** The node table has room for so many slots now. */
    void growTo(int capacity);

    /**
     * About how many bytes it takes.
     *
     * @param members how many slots are in a domain
     */
    long bytes(int members);
}

package io.evenkeel.engine.index;

/** The layout of a topology's domains: what their ids are, and which slots each has. */
sealed interface DomainLayout permits NarrowDomains, WideDomains {
    /**
     * Adds a slot to a domain.
     *
     * @param domain the domain; NONE if the slot is the first of a new domain
     * @return the domain's id
     */
    int enter(int slot, int domain);

    /**
     * Removes a slot from its domain.
     *
     * @param domainOf the domain of each slot, already NONE for this one; updated if the domain gets another id
     * @return the new id of the domain; NONE if the slot was its last one
     */
    int leave(int slot, int domain, int[] domainOf);

    /** Makes room for {@code capacity} slots. */
    void growTo(int capacity);

    /**
     * Roughly how many bytes it takes.
     *
     * @param members how many slots are in any domain
     */
    long bytes(int members);
}

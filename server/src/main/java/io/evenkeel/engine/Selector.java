package io.evenkeel.engine;

import java.util.Arrays;

/** A label selector in use within one namespace, and what counts by it. */
final class Selector extends IndexPart {
    private static final PodCounter[] NO_COUNTERS = {};

    /** Unique within the namespace. */
    final int id;

    final Namespace namespace;
    final LabelSelector source;
    final LabelRequirements requirements;
    private PodCounter[] counters = NO_COUNTERS;

    /** The requirement that the namespace has filed it under, or {@link LabelRequirements#NONE}. */
    int anchor = LabelRequirements.NONE;

    Selector(Namespace namespace, LabelSelector source, StringTable strings) {
        this.id = namespace.nextSelectorId();
        this.namespace = namespace;
        this.source = source;
        this.requirements = new LabelRequirements(source.requirements(), strings);
    }

    @Override
    long bytes() {
        return 128 + 4L * counters.length + Footprint.of(source) + requirements.bytes();
    }

    PodCounter[] counters() {
        return counters;
    }

    void add(PodCounter counter) {
        counters = Arrays.copyOf(counters, counters.length + 1);
        counters[counters.length - 1] = counter;
    }

    void remove(PodCounter counter) {
        counters = Arrays.stream(counters).filter(each -> each != counter).toArray(PodCounter[]::new);
    }
}

package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IndexPart;
import io.evenkeel.engine.memory.StringTable;
import io.evenkeel.engine.model.Footprint;
import io.evenkeel.engine.model.PodSelector;
import java.util.Arrays;

/** A label selector in use within one namespace, and the counters of the pods that it matches. */
public final class Selector extends IndexPart {
    private static final PodCounter[] NO_COUNTERS = {};

    /** The id, unique within the namespace. */
    final int id;

    public final PodSelector source;
    public final LabelRequirements requirements;
    private PodCounter[] counters = NO_COUNTERS;

    /** The requirement under which the namespace has filed it, or {@link LabelRequirements#NONE}. */
    public int anchor = LabelRequirements.NONE;

    /** @param id the id from {@code Namespace.nextSelectorId} */
    public Selector(int id, PodSelector source, StringTable strings) {
        this.id = id;
        this.source = source;
        this.requirements = new LabelRequirements(source.requirements(), strings);
    }

    @Override
    public long bytes() {
        return 128 + 4L * counters.length + Footprint.of(source) + requirements.bytes();
    }

    public PodCounter[] counters() {
        return counters;
    }

    public void add(PodCounter counter) {
        counters = Arrays.copyOf(counters, counters.length + 1);
        counters[counters.length - 1] = counter;
    }

    public void remove(PodCounter counter) {
        counters = Arrays.stream(counters).filter(each -> each != counter).toArray(PodCounter[]::new);
    }
}

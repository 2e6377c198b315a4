package io.evenkeel.engine;

import java.util.Arrays;

/** A label selector in use within one namespace, and the spread groups that count by it. */
final class Selector extends IndexPart {
    private static final SpreadGroup[] NO_GROUPS = {};

    /** Unique within the namespace. */
    final int id;

    final Namespace namespace;
    final LabelSelector source;
    final LabelRequirements requirements;
    private SpreadGroup[] groups = NO_GROUPS;

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
        return 128 + 4L * groups.length + Footprint.of(source) + requirements.bytes();
    }

    SpreadGroup[] groups() {
        return groups;
    }

    void add(SpreadGroup group) {
        groups = Arrays.copyOf(groups, groups.length + 1);
        groups[groups.length - 1] = group;
    }

    void remove(SpreadGroup group) {
        groups = Arrays.stream(groups).filter(each -> each != group).toArray(SpreadGroup[]::new);
    }
}

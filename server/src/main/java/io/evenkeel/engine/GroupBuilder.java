package io.evenkeel.engine;

import java.util.Arrays;

/**
 * Counts the pods that are already there into a new spread group, a slice at a time, each under the writer's lock, so that neither readers nor events wait for a large
 * group.
 *
 * <p>The cursor goes over the positions of the namespace's classes. A class below it is complete: its pods are counted, and events of it are applied. A class at or
 * above it is untouched: its events are left to the slice that will reach it. A class that comes meanwhile stands at the end, or in no hole, since holes are not reused while
 * a build is under way.
 */
final class GroupBuilder {
    /** Pods and classes that one slice looks at, about: some tens of microseconds. */
    private static final int SLICE = 4096;

    private final PodStore pods;
    private final PodList podsInClass;
    private final LabelClasses classes;

    GroupBuilder(PodStore pods, PodList podsInClass, LabelClasses classes) {
        this.pods = pods;
        this.podsInClass = podsInClass;
        this.classes = classes;
    }

    /** Does one slice; answers whether the group is built. */
    boolean advance(SpreadGroup group) {
        if (group.isBuilt()) {
            return true;
        }
        Selector selector = group.selector;
        Namespace namespace = selector.namespace;
        int position = group.built();
        int work = 0;
        while (position < namespace.classLimit() && work < SLICE) {
            int labelClass = namespace.classAt(position++);
            work++;
            if (labelClass != LabelClasses.NONE && matches(labelClass, selector)) {
                work += count(group, labelClass);
            }
        }
        group.setBuilt(position);
        if (position < namespace.classLimit()) {
            return false;
        }
        group.finishBuild();
        namespace.buildEnds();
        return true;
    }

    /** Whether the selector matches the class; the class learns of it where it did not know. */
    private boolean matches(int labelClass, Selector selector) {
        if (!classes.isMatched(labelClass, selector.requirements)) {
            return false;
        }
        if (!Arrays.asList(classes.matches(labelClass)).contains(selector)) {
            classes.addMatch(labelClass, selector);
        }
        return true;
    }

    private int count(SpreadGroup group, int labelClass) {
        int looked = 0;
        for (int pod = podsInClass.first(labelClass); pod != PodList.NONE; pod = podsInClass.next(pod)) {
            looked++;
            int slot = pods.slotCountedOn(pod);
            if (slot != NodeTable.NONE) {
                group.shift(slot, true);
            }
        }
        return looked;
    }
}

package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what plans cost events. A pod event looks only at selectors that are filed under labels of the pod, and at
 * those that can be filed under none; but many may be filed under the same label. A node event looks at all conditions
 * on nodes. Where these are too many, an eighth of them go with the plans that asked for them: those that were asked
 * about once first.
 */
public final class EventTax {
    /**
     * Selectors under one label of a namespace: each takes an event of a pod that it matches up to half a microsecond.
     */
    public static final int MOST_SELECTORS = 1_024;

    /**
     * Conditions on nodes: each takes an event of a node one or two microseconds, with the eligibility that rests on
     * it.
     */
    public static final int MOST_CONDITIONS = 512;

    private static final int AN_EIGHTH = 8;
    private static final Object[] NO_CONDITIONS = {};

    private EventTax() {}

    /** Those that make the same events longer, where they are too many. */
    static final class Crowd {
        private final Set<Object> members = Collections.newSetFromMap(new IdentityHashMap<>());
        private final int tooMany;

        private Crowd(Object[] all, int most) {
            Collections.addAll(members, all);
            tooMany = all.length - most + most / AN_EIGHTH;
        }

        /**
         * Plans that rest on a member and were not used lately, enough of them; needs no lock. Those that were used are
         * spared once.
         */
        List<PodPlan> unused(Collection<PodPlan> all, PodPlan newest) {
            List<PodPlan> found = new ArrayList<>();
            for (int round = 0; round < 2; round++) {
                for (PodPlan plan : all) {
                    if (found.size() == tooMany) {
                        return found;
                    }
                    if (plan != newest && restsOnMember(plan) && !plan.isPinned() && !plan.forgetUse()) {
                        found.add(plan);
                    }
                }
            }
            return found;
        }

        private boolean restsOnMember(PodPlan plan) {
            return Arrays.stream(plan.groups()).anyMatch(group -> members.contains(group.selector))
                    || plan.conditions().anyMatch(members::contains);
        }
    }

    /** The crowd that a plan has joined; null where there is none. Under the engine's lock. */
    static @Nullable Crowd joinedBy(PodPlan plan, SpreadIndex index) {
        for (SpreadGroup group : plan.groups()) {
            Selector[] beside = group.namespace.beside(group.selector);
            if (beside.length > MOST_SELECTORS) {
                return new Crowd(beside, MOST_SELECTORS);
            }
        }
        Object[] conditions = index.predicates().size() > MOST_CONDITIONS
                        && plan.conditions().findAny().isPresent()
                ? index.predicates().toArray()
                : NO_CONDITIONS;
        return conditions.length > MOST_CONDITIONS ? new Crowd(conditions, MOST_CONDITIONS) : null;
    }
}

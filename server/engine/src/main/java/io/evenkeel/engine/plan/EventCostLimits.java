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
 * Limits how much the plans slow events down. A pod event checks only the selectors that are filed under labels of the
 * pod or under no label; but many may be filed under the same label. A node event checks all conditions on nodes. Where
 * there are too many of either, plans that need them are dropped, as many as an eighth of them. Plans that were used
 * only once go first.
 */
public final class EventCostLimits {
    /**
     * How many selectors may be filed under one label of a namespace. Each adds up to half a microsecond to an event of
     * a pod that it matches.
     */
    public static final int MOST_SELECTORS = 1_024;

    /**
     * How many conditions on nodes there may be. Each adds one or two microseconds to an event of a node, including the
     * eligibilities that use it.
     */
    public static final int MOST_CONDITIONS = 512;

    private static final int AN_EIGHTH = 8;
    private static final Object[] NO_CONDITIONS = {};

    private EventCostLimits() {}

    /** A group of selectors or conditions that make the same events longer, and of which there are too many. */
    static final class Excess {
        private final Set<Object> members = Collections.newSetFromMap(new IdentityHashMap<>());
        private final int tooMany;

        private Excess(Object[] all, int most) {
            Collections.addAll(members, all);
            tooMany = all.length - most + most / AN_EIGHTH;
        }

        /**
         * Chooses plans to drop: enough plans that use a member and were not used recently. Plans that were used are
         * spared once. Needs no lock.
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

    /** The excess to which a plan has added; null where there is none. To be called under the engine's lock. */
    static @Nullable Excess joinedBy(PodPlan plan, SpreadIndex index) {
        for (SpreadGroup group : plan.groups()) {
            Selector[] beside = group.namespace.beside(group.selector);
            if (beside.length > MOST_SELECTORS) {
                return new Excess(beside, MOST_SELECTORS);
            }
        }
        Object[] conditions = index.predicates().size() > MOST_CONDITIONS
                        && plan.conditions().findAny().isPresent()
                ? index.predicates().toArray()
                : NO_CONDITIONS;
        return conditions.length > MOST_CONDITIONS ? new Excess(conditions, MOST_CONDITIONS) : null;
    }
}

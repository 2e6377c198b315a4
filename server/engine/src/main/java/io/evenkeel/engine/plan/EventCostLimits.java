package io.evenkeel.engine.plan;

import io.evenkeel.engine.index.NodePredicate;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.SpreadIndex;
import io.evenkeel.engine.labels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limits how much the plans slow events down. A pod event checks only the selectors that are filed under labels of the
 * pod or under no label; but many may be filed under the same label. A node event checks all conditions on nodes. If
 * there are too many of either, plans that need them are dropped until their number has fallen by an eighth. Plans that
 * were used only once are dropped first, beginning with the selectors or conditions that the fewest plans need.
 */
public final class EventCostLimits {
    /**
     * How many selectors may be filed under one label of a namespace. Each adds up to half a microsecond to an event of
     * a pod that it matches.
     */
    public static final int MAX_SELECTORS = 1_024;

    /**
     * How many conditions on nodes there may be, from affinities and honoured policies. Each adds one or two
     * microseconds to an event of a node, including the eligibilities that use it. The condition that a list of
     * tolerations tolerates a node's taints is not counted if no constraint honours taints: it adds a tenth of that.
     */
    public static final int MAX_CONDITIONS = 512;

    private static final int AN_EIGHTH = 8;

    private EventCostLimits() {}

    /** A group of selectors or conditions that slow the same events down and have become too many. */
    static final class Excess {
        private final Set<Object> members = Collections.newSetFromMap(new IdentityHashMap<>());
        private final int tooMany;

        private Excess(Collection<?> all, int most) {
            members.addAll(all);
            tooMany = members.size() - most + most / AN_EIGHTH;
        }

        /**
         * Chooses plans to drop: all plans of as many members as are in excess. No call is using them, and none was
         * used recently; plans that were used are spared once. Needs no lock.
         */
        Collection<PodPlan> unused(Collection<PodPlan> all, PodPlan newest) {
            Map<Object, Set<PodPlan>> users = new LinkedHashMap<>();
            for (PodPlan plan : all) {
                membersOf(plan)
                        .forEach(member -> users.computeIfAbsent(member, none -> new LinkedHashSet<>())
                                .add(plan));
            }
            List<Set<PodPlan>> fewestFirst = new ArrayList<>(users.values());
            fewestFirst.sort(Comparator.comparing(Set::size));
            Map<PodPlan, Boolean> wereUsed = new HashMap<>();
            Set<PodPlan> chosen = new LinkedHashSet<>();
            int gone = 0;
            for (int round = 0; round < 2; round++) {
                boolean sparesUsed = round == 0;
                for (Iterator<Set<PodPlan>> each = fewestFirst.iterator(); gone < tooMany && each.hasNext(); ) {
                    Set<PodPlan> plans = each.next();
                    boolean goes = plans.stream()
                            .allMatch(plan -> chosen.contains(plan)
                                    || plan != newest
                                            && !plan.isPinned()
                                            && !(wereUsed.computeIfAbsent(plan, PodPlan::forgetUse) && sparesUsed));
                    if (goes) {
                        chosen.addAll(plans);
                        each.remove();
                        gone++;
                    }
                }
            }
            return chosen;
        }

        private Stream<Object> membersOf(PodPlan plan) {
            return Stream.<Object>concat(Arrays.stream(plan.groups()).map(group -> group.selector), plan.conditions())
                    .filter(members::contains);
        }
    }

    /** The excess to which a plan has added; null if there is none. Called under the engine's lock. */
    static @Nullable Excess joinedBy(PodPlan plan, SpreadIndex index) {
        for (SpreadGroup group : plan.groups()) {
            Selector[] sharing = group.namespace.sharingAnchorWith(group.selector);
            if (sharing.length > MAX_SELECTORS) {
                return new Excess(List.of(sharing), MAX_SELECTORS);
            }
        }
        // There are few conditions if there are few predicates.
        if (index.predicates().size() <= MAX_CONDITIONS
                || plan.conditions().findAny().isEmpty()) {
            return null;
        }
        Set<NodePredicate> conditions = index.conditions();
        return conditions.size() > MAX_CONDITIONS ? new Excess(conditions, MAX_CONDITIONS) : null;
    }
}

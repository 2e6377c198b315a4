package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.ObjectKind;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stores disruption budgets. Nothing is derived from them: only the removal of nodes and preemption match them with
 * pods.
 *
 * <pre>
 *   byUid    UID → budget
 *   byName   namespace and name → the same budgets
 *   shared   whether a copy may have the same maps, so that they are copied before a change
 * </pre>
 */
public final class BudgetTable implements ObjectTable<DisruptionBudget> {
    private record Name(String namespace, String name) {
        static Name of(DisruptionBudget budget) {
            return new Name(budget.namespace(), budget.name());
        }
    }

    private Map<String, DisruptionBudget> byUid = new HashMap<>();
    private Map<Name, DisruptionBudget> byName = new HashMap<>();
    private boolean shared;

    public BudgetTable() {}

    /** A copy. */
    public BudgetTable(BudgetTable other) {
        byUid = other.byUid;
        byName = other.byName;
        shared = true;
        other.shared = true;
    }

    /** Called before a change. */
    private void own() {
        if (shared) {
            byUid = new HashMap<>(byUid);
            byName = new HashMap<>(byName);
            shared = false;
        }
    }

    @Override
    public @Nullable DisruptionBudget find(String uid) {
        return byUid.get(uid);
    }

    @Override
    public @Nullable DisruptionBudget namesake(DisruptionBudget budget) {
        return byName.get(Name.of(budget));
    }

    @Override
    public boolean put(DisruptionBudget budget) {
        own();
        DisruptionBudget old = byUid.put(budget.uid(), budget);
        if (old != null) {
            byName.remove(Name.of(old));
        }
        DisruptionBudget namesake = byName.put(Name.of(budget), budget);
        if (namesake != null) {
            byUid.remove(namesake.uid());
        }
        return old == null || !old.atVersion(budget.resourceVersion()).equals(budget);
    }

    @Override
    public boolean remove(String uid) {
        DisruptionBudget budget = byUid.get(uid);
        if (budget == null) {
            return false;
        }
        own();
        byUid.remove(uid);
        byName.remove(Name.of(budget));
        return true;
    }

    @Override
    public int size() {
        return byUid.size();
    }

    @Override
    public Iterator<DisruptionBudget> of(ObjectKind kind) {
        return kind == ObjectKind.POD_DISRUPTION_BUDGET
                ? List.copyOf(byName.values()).iterator()
                : Collections.emptyIterator();
    }

    /** All budgets. The collection must not be kept. */
    public Collection<DisruptionBudget> all() {
        return Collections.unmodifiableCollection(byUid.values());
    }
}

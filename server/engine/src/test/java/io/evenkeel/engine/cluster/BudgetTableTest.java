package io.evenkeel.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.ObjectKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Compares the table of budgets, and copies of it, with lists. */
final class BudgetTableTest {
    /** A table, and the budgets that it should have. */
    private record Pair(BudgetTable table, List<DisruptionBudget> budgets) {
        boolean put(DisruptionBudget budget) {
            boolean same = budgets.stream().anyMatch(each -> each.atVersion(0).equals(budget.atVersion(0)));
            budgets.removeIf(each -> each.uid().equals(budget.uid()) || isNamesake(each, budget));
            budgets.add(budget);
            return !same;
        }

        private static boolean isNamesake(DisruptionBudget one, DisruptionBudget other) {
            return one.namespace().equals(other.namespace()) && one.name().equals(other.name());
        }

        void compare() {
            Set<DisruptionBudget> found = new HashSet<>();
            table.of(ObjectKind.POD_DISRUPTION_BUDGET).forEachRemaining(found::add);
            assertEquals(Set.copyOf(budgets), found);
            assertEquals(Set.copyOf(budgets), Set.copyOf(table.all()));
            assertEquals(budgets.size(), table.size());
            for (DisruptionBudget budget : budgets) {
                assertSame(budget, table.find(budget.uid()));
                assertSame(budget, table.namesake(budget));
            }
        }
    }

    @Test
    void tables_andTheirCopies_areThoseOfLists() {
        for (int seed = 0; seed < 20; seed++) {
            play(new Random(seed));
        }
    }

    private static void play(Random random) {
        List<Pair> pairs = new ArrayList<>();
        pairs.add(new Pair(new BudgetTable(), new ArrayList<>()));
        for (int step = 0; step < 300; step++) {
            Pair pair = pairs.get(random.nextInt(pairs.size()));
            String uid = "uid-" + random.nextInt(12);
            int choice = random.nextInt(20);
            if (choice == 0 && pairs.size() < 4) {
                pairs.add(new Pair(new BudgetTable(pair.table), new ArrayList<>(pair.budgets)));
            } else if (choice < 5) {
                assertEquals(pair.budgets.removeIf(each -> each.uid().equals(uid)), pair.table.remove(uid));
                assertNull(pair.table.find(uid));
            } else {
                DisruptionBudget budget = new DisruptionBudget(
                        "shop-" + random.nextInt(2),
                        "name-" + random.nextInt(6),
                        uid,
                        step,
                        null,
                        random.nextInt(2),
                        Set.of());
                assertEquals(pair.put(budget), pair.table.put(budget));
            }
            pairs.forEach(Pair::compare);
        }
    }
}

package io.evenkeel.engine.estimate;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Combinations of new nodes from a price on, the cheapest first. */
final class Combinations {
    /** About 10 ms. Most ways to spend a price may leave a rest, for which there is no template. */
    private static final int MAX_STEPS = 1_000_000;

    private final List<NodeTemplate> templates;
    private final Deque<int[]> ready = new ArrayDeque<>();
    private final int most;
    private final long unit;
    private final long dearest;
    private long price;
    private int steps;

    /**
     * @param from combinations with a lower price are skipped
     * @param most the most combinations of one price
     */
    Combinations(List<NodeTemplate> templates, long from, int most) {
        this.templates = templates;
        this.most = most;
        long divisor = 0;
        long sum = 0;
        for (NodeTemplate template : templates) {
            divisor = divisor(template.price, divisor);
            sum += template.price * template.max;
        }
        unit = Math.max(1, divisor);
        dearest = sum;
        price = (from + unit - 1) / unit * unit;
    }

    /** Whether the combinations so far are all of their prices. If not, no more follow. */
    boolean isComplete() {
        return steps < MAX_STEPS;
    }

    /** The next combination, or null if no more follow. */
    int @Nullable [] next() {
        while (ready.isEmpty() && price <= dearest && isComplete()) {
            add(new int[templates.size()], 0, price);
            price += unit;
        }
        return ready.poll();
    }

    private void add(int[] newNodes, int template, long left) {
        if (ready.size() >= most || !isComplete()) {
            return;
        }
        steps++;
        if (template == newNodes.length) {
            if (left == 0) {
                ready.add(newNodes.clone());
            }
            return;
        }
        NodeTemplate next = templates.get(template);
        for (int nodes = 0; nodes <= next.max && nodes * next.price <= left; nodes++) {
            newNodes[template] = nodes;
            add(newNodes, template + 1, left - nodes * next.price);
        }
        newNodes[template] = 0;
    }

    private static long divisor(long one, long other) {
        return other == 0 ? one : divisor(other, one % other);
    }
}

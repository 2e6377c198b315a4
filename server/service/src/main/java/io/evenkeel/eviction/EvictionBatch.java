package io.evenkeel.eviction;

import io.evenkeel.v1.PodMove;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chooses the moves of a plan that are made together. */
final class EvictionBatch {
    /** At most one in four pods of a controller is evicted at a time, as a Deployment replaces its pods. */
    private static final int SHARE = 4;

    private EvictionBatch() {}

    /**
     * The first moves of a plan. Moves that are only possible together form a chain; a batch has whole chains. It has
     * at least one chain, even if that is longer than {@code most}. Otherwise, it has at most a quarter of the pods of
     * a controller, but at least one, and no more pods than disruption budgets allow.
     *
     * @param moves possible ones, with whole chains
     * @return the chains
     */
    static List<List<PodMove>> first(List<PodMove> moves, int most, LiveCluster cluster) {
        List<List<PodMove>> batch = new ArrayList<>();
        Map<String, Integer> ofOwners = new HashMap<>();
        int size = 0;
        for (int from = 0; from < moves.size(); ) {
            List<PodMove> chain = chain(moves, from);
            for (PodMove move : chain) {
                ofOwners.merge(owner(move, cluster), 1, Integer::sum);
            }
            size += chain.size();
            if (!batch.isEmpty()
                    && (size > most
                            || isTooMuch(ofOwners, cluster)
                            || budgetObstacle(moves.subList(0, size), cluster) != null)) {
                break;
            }
            batch.add(chain);
            from += chain.size();
        }
        return batch;
    }

    /** Why the pods of moves cannot all be evicted now, because of a disruption budget; null if they can. */
    static @Nullable String budgetObstacle(List<PodMove> moves, LiveCluster cluster) {
        return cluster.budgetObstacle(moves.stream()
                .map(move -> cluster.pod(move.getPod().getUid()))
                .flatMap(Stream::ofNullable)
                .toList());
    }

    private static List<PodMove> chain(List<PodMove> moves, int from) {
        int last = from;
        while (moves.get(last).getTogetherWithNext() && last < moves.size() - 1) {
            last++;
        }
        return moves.subList(from, last + 1);
    }

    private static String owner(PodMove move, LiveCluster cluster) {
        LivePod pod = cluster.pod(move.getPod().getUid());
        return pod == null ? "" : pod.ownerUid();
    }

    private static boolean isTooMuch(Map<String, Integer> ofOwners, LiveCluster cluster) {
        return ofOwners.entrySet().stream().anyMatch(each -> {
            long active = cluster.ownedBy(each.getKey()).stream()
                    .filter(LivePod::isActive)
                    .count();
            return each.getValue() > Math.max(1, active / SHARE);
        });
    }
}

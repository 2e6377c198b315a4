package io.evenkeel.eviction;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.DisruptionBudget;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.StoredObjectTranslator;
import io.evenkeel.v1.PodDisruptionBudget;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The disruption budgets of a cluster that an instance follows. None, if they cannot be read. Thread-safe.
 *
 * <pre>
 *   budgets  UID → the budget
 *   listed   UIDs in the list that is arriving
 * </pre>
 */
final class LiveBudgets {
    private static final Parser<PodDisruptionBudget> BUDGET =
            DiscardUnknownFieldsParser.wrap(PodDisruptionBudget.parser());

    private final Map<String, DisruptionBudget> budgets = new HashMap<>();
    private final Set<String> listed = new HashSet<>();

    synchronized void listBegins() {
        listed.clear();
    }

    synchronized void listEnds() {
        budgets.keySet().retainAll(listed);
    }

    /** An object that the instance skips is skipped here, too. */
    synchronized void put(byte[] bytes, int from, int to) {
        try {
            DisruptionBudget budget =
                    StoredObjectTranslator.disruptionBudget(BUDGET.parseFrom(bytes, from, to - from), Change.ADDED);
            budgets.put(budget.uid(), budget);
            listed.add(budget.uid());
        } catch (InvalidProtocolBufferException | InvalidObjectException e) {
            // The feed reports it.
        }
    }

    synchronized void deleted(byte[] bytes, int from, int to) {
        try {
            budgets.remove(
                    BUDGET.parseFrom(bytes, from, to - from).getMetadata().getUid());
        } catch (InvalidProtocolBufferException e) {
            // The feed reports it.
        }
    }

    /** Why these pods cannot all be evicted now; null if the budgets allow it. */
    synchronized @Nullable String obstacle(Collection<LivePod> pods) {
        for (DisruptionBudget budget : budgets.values()) {
            List<LivePod> its =
                    pods.stream().filter(pod -> isCharged(budget, pod)).toList();
            int allowed = Math.max(0, budget.allowed());
            if (its.size() > allowed) {
                return "PodDisruptionBudget " + budget.namespace() + "/" + budget.name() + " allows " + allowed
                        + (allowed == 1 ? " eviction" : " evictions") + " now, but " + its.size()
                        + " of its pods can only be evicted together: "
                        + its.stream().map(LivePod::title).collect(Collectors.joining(", "));
            }
        }
        return null;
    }

    /**
     * Whether the pod's eviction takes one from what the budget allows. The API server ({@code storage/eviction.go})
     * evicts a pod that is pending or ends without asking, and one that is not ready without charging if the budget is
     * met, as it is if it allows evictions.
     */
    private static boolean isCharged(DisruptionBudget budget, LivePod pod) {
        PodSelector selector = budget.selector();
        return pod.phase() == LivePod.Phase.RUNNING
                && !pod.isTerminating()
                && (pod.isReady() || budget.allowed() <= 0)
                && selector != null
                && budget.namespace().equals(pod.namespace())
                && selector.matches(pod.labels());
    }
}

package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.AntiAffinityTerm;
import io.evenkeel.engine.model.PodRequests;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The required anti-affinity of the pods on known nodes, to find out whether it concerns a pod. It is not judged.
 *
 * <pre>
 *   pods[id]                 how many pods on nodes have these requests (RequestTable), if they have such terms
 *   terms[namespace][term]   how many of these requests have the term; the namespace "" is every namespace
 * </pre>
 *
 * Pods of one workload have the same terms, so {@code terms} changes only when the first of them comes or the last one
 * goes. The engine's one writer writes; readers hold the lock.
 */
public final class AntiAffinities {
    private static final String EVERY_NAMESPACE = "";

    private final Map<String, Map<AntiAffinityTerm, Integer>> terms = new HashMap<>();
    private int[] pods;
    private long changes;
    private volatile long moves;

    public AntiAffinities() {
        pods = new int[16];
    }

    /** A copy, for a copy of the table of requests. */
    public AntiAffinities(AntiAffinities other) {
        other.terms.forEach((namespace, there) -> terms.put(namespace, new HashMap<>(there)));
        pods = other.pods.clone();
        changes = other.changes;
        moves = changes;
    }

    /** Called when a pod with these requests was added to a known node, or is about to leave it. */
    void count(int id, PodRequests its, boolean in) {
        if (its.antiAffinity().isEmpty()) {
            return;
        }
        if (id >= pods.length) {
            pods = Arrays.copyOf(pods, Math.max(id + 1, pods.length * 2));
        }
        int before = pods[id];
        pods[id] += in ? 1 : -1;
        if (before == 0 || pods[id] == 0) {
            for (AntiAffinityTerm term : its.antiAffinity()) {
                count(term, in ? 1 : -1);
            }
            moves = ++changes;
        }
    }

    private void count(AntiAffinityTerm term, int more) {
        List<String> namespaces = term.namespaces().isEmpty() ? List.of(EVERY_NAMESPACE) : term.namespaces();
        for (String namespace : namespaces) {
            Map<AntiAffinityTerm, Integer> there = terms.computeIfAbsent(namespace, none -> new HashMap<>());
            there.merge(term, more, (now, then) -> now + then == 0 ? null : now + then);
            if (there.isEmpty()) {
                terms.remove(namespace);
            }
        }
    }

    /** The terms by namespace, each with the number of requests that have it. A live view. */
    public Map<String, Map<AntiAffinityTerm, Integer>> terms() {
        return Collections.unmodifiableMap(terms);
    }

    /** Increases whenever there are other terms. Needs no lock. */
    public long moves() {
        return moves;
    }

    /**
     * A term that matches a pod with these labels; null if there is none.
     *
     * @param most how many terms to compare with the labels at most; if there are more, one of them counts as matching
     */
    public @Nullable AntiAffinityTerm matching(String namespace, Map<String, String> labels, int most) {
        int compared = 0;
        for (String of : List.of(namespace, EVERY_NAMESPACE)) {
            for (AntiAffinityTerm term : terms.getOrDefault(of, Map.of()).keySet()) {
                if (compared++ == most || term.selector().matches(labels)) {
                    return term;
                }
            }
        }
        return null;
    }
}

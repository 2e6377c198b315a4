package io.evenkeel.engine.whatif;

import io.evenkeel.engine.cluster.ChangedPods;
import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PlanHold;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.agrona.collections.IntHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers the what-if cases of one call, all from one revision, without a long hold of the lock. Pods are looked up
 * some at a time, while a watch records which pods change meanwhile. In the last hold, the changed pods are compared
 * with those found. If none of these and no node has changed, the plans' counts are copied in the same hold, and the
 * rest needs no lock. Otherwise everything begins again; after some attempts, it is done in one hold.
 */
public final class WhatIfs {
    private static final int LOOKS_A_HOLD = 1_024;

    /** How many changed pods are compared with those found in one hold at most. */
    private static final int CHECKS_A_HOLD = 2_048;

    private static final int TRIES = 4;

    private final EngineLock lock;
    private final ClusterView cluster;
    private final List<WhatIfCase> asked;
    private final PlanHold hold;

    public WhatIfs(EngineLock lock, ClusterView cluster, List<WhatIfCase> asked, PlanHold hold) {
        this.lock = lock;
        this.cluster = cluster;
        this.asked = asked;
        this.hold = hold;
    }

    /** The cases and the copied plans at one revision. */
    private record State(long revision, List<WhatIfEvaluation> cases, IdentityHashMap<PodPlan, PodPlan> forks) {}

    public List<WhatIfResult> answers() {
        State state = null;
        for (int attempt = 1; state == null; attempt++) {
            List<WhatIfEvaluation> cases = new ArrayList<>(asked.size());
            IdentityHashMap<PodPlan, PodPlan> renewed = new IdentityHashMap<>();
            for (WhatIfCase each : asked) {
                cases.add(new WhatIfEvaluation(each, renewed.computeIfAbsent(each.plan(), hold::renew)));
            }
            state = new Attempt(cases, attempt < TRIES ? LOOKS_A_HOLD : Integer.MAX_VALUE).run();
        }
        List<WhatIfResult> answers = new ArrayList<>(asked.size());
        for (WhatIfEvaluation each : state.cases) {
            hold.stop().check();
            answers.add(each.judge(Objects.requireNonNull(state.forks.get(each.plan())), state.revision));
        }
        return answers;
    }

    private final class Attempt {
        private final List<WhatIfEvaluation> cases;
        private final int looksAHold;
        private ChangedPods.@Nullable Watch watch;
        private @Nullable IntHashSet found;
        private final Set<PodKey> keys = new HashSet<>();
        private long nodes;
        private int at;
        private int checked;

        Attempt(List<WhatIfEvaluation> cases, int looksAHold) {
            this.cases = cases;
            this.looksAHold = looksAHold;
        }

        /** Makes one attempt; returns null where everything must begin again. */
        @Nullable
        State run() {
            try {
                while (true) {
                    hold.stop().check();
                    long stamp = lock.lockRead();
                    try {
                        if (watch != null && nodes != cluster.nodeMoves() || concernsAny()) {
                            return null;
                        }
                        boolean done = lookUp();
                        if (done && (watch == null || checked == watch.count())) {
                            return finish();
                        }
                        if (watch == null) {
                            watch = cluster.watchPods();
                            nodes = cluster.nodeMoves();
                        }
                    } finally {
                        lock.unlockRead(stamp);
                    }
                    if (at == cases.size() && found == null) {
                        IntHashSet pods = new IntHashSet();
                        cases.forEach(each -> each.addTo(pods, keys));
                        found = pods;
                    }
                }
            } finally {
                if (watch != null) {
                    cluster.endWatch(watch);
                }
            }
        }

        /** Looks up the next pods; returns whether all are looked up. */
        private boolean lookUp() {
            int left = looksAHold;
            while (at < cases.size() && left > 0) {
                int looked = cases.get(at).lookUp(cluster, left);
                if (looked < left) {
                    cases.get(at).findNode(cluster);
                    at++;
                }
                // A case without pods counts as one look-up too.
                left -= Math.max(1, looked);
            }
            return at == cases.size();
        }

        /** Whether any of the changed pods was found before, or may now be found by a key that was looked up. */
        private boolean concernsAny() {
            if (watch != null && found != null) {
                int to = Math.min(watch.count(), checked + CHECKS_A_HOLD);
                for (; checked < to; checked++) {
                    if (concerns(watch.pod(checked), found)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private boolean concerns(int pod, IntHashSet pods) {
            if (pods.contains(pod) || !cluster.isLive(pod)) {
                return pods.contains(pod);
            }
            return keys.contains(cluster.uidKey(pod)) || keys.contains(cluster.nameKey(pod));
        }

        private @Nullable State finish() {
            IdentityHashMap<PodPlan, PodPlan> forks = new IdentityHashMap<>();
            PlanFork copies = PlanFork.frozen();
            for (WhatIfEvaluation each : cases) {
                if (!each.plan().isCurrent()) {
                    return null;
                }
                forks.computeIfAbsent(each.plan(), copies::fork);
            }
            return new State(cluster.revision(), cases, forks);
        }
    }
}

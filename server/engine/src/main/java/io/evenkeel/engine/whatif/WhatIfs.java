package io.evenkeel.engine.whatif;

import io.evenkeel.engine.lock.EngineLock;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.overlay.OverlayLookUp;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers the what-if cases of one call, all from one revision, without a long hold of the lock. Pods are looked up in
 * slices. In the last hold, all of them still are as they were found, and the plans' counts are copied; the rest needs
 * no lock. If something changes meanwhile, everything starts over; after some attempts, it is done in one hold.
 */
public final class WhatIfs {
    private final EngineLock lock;
    private final ClusterView cluster;
    private final List<WhatIfCase> asked;
    private final PlanPins pins;

    public WhatIfs(EngineLock lock, ClusterView cluster, List<WhatIfCase> asked, PlanPins pins) {
        this.lock = lock;
        this.cluster = cluster;
        this.asked = asked;
        this.pins = pins;
    }

    /** The cases and the copied plans at one revision. */
    private record State(
            long revision,
            KindVersions versions,
            List<WhatIfEvaluation> cases,
            IdentityHashMap<PodPlan, PodPlan> forks) {}

    public WhatIfAnswers answers() {
        State state = null;
        for (int attempt = 1; state == null; attempt++) {
            List<WhatIfEvaluation> cases = new ArrayList<>(asked.size());
            IdentityHashMap<PodPlan, PodPlan> renewed = new IdentityHashMap<>();
            for (WhatIfCase each : asked) {
                cases.add(new WhatIfEvaluation(each, renewed.computeIfAbsent(each.plan(), pins::renew)));
            }
            state = lookUp(cases, attempt >= OverlayLookUp.TRIES);
        }
        List<WhatIfResult> answers = new ArrayList<>(asked.size());
        for (WhatIfEvaluation each : state.cases) {
            pins.stop().check();
            answers.add(each.judge(Objects.requireNonNull(state.forks.get(each.plan()))));
        }
        return new WhatIfAnswers(state.revision, state.versions, answers);
    }

    /** Makes one attempt; returns null if everything must start over. */
    private @Nullable State lookUp(List<WhatIfEvaluation> cases, boolean inOneHold) {
        try (OverlayLookUp lookUp = new OverlayLookUp(cluster, cases, inOneHold)) {
            while (true) {
                pins.stop().check();
                long stamp = lock.lockRead();
                try {
                    OverlayLookUp.State state = lookUp.advance();
                    if (state == OverlayLookUp.State.STALE) {
                        return null;
                    }
                    if (state == OverlayLookUp.State.DONE) {
                        return copy(cases);
                    }
                } finally {
                    lock.unlockRead(stamp);
                }
                lookUp.prepare();
            }
        }
    }

    /** Copies the plans' counts; returns null if a plan is stale. */
    private @Nullable State copy(List<WhatIfEvaluation> cases) {
        IdentityHashMap<PodPlan, PodPlan> forks = new IdentityHashMap<>();
        PlanFork copies = PlanFork.frozen();
        for (WhatIfEvaluation each : cases) {
            if (!each.plan().isCurrent()) {
                return null;
            }
            forks.computeIfAbsent(each.plan(), copies::fork);
            each.judgeEntry(cluster);
        }
        return new State(cluster.revision(), cluster.versions().copy(), cases, forks);
    }
}

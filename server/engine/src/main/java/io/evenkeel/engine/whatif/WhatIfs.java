package io.evenkeel.engine.whatif;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.overlay.OverlayAttempts;
import io.evenkeel.engine.plan.PlanFork;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the what-if cases of one call, all from one revision. In the last hold of the lock, all their pods still are
 * as they were found, and the plans' counts are copied; the rest needs no lock.
 */
public final class WhatIfs {
    private final OverlayAttempts attempts;
    private final ClusterView cluster;

    public WhatIfs(OverlayAttempts attempts, ClusterView cluster) {
        this.attempts = attempts;
        this.cluster = cluster;
    }

    /** Answers the cases. The caller must not hold the lock. */
    public WhatIfAnswers answers(List<WhatIfCase> asked, PlanPins pins) {
        return attempts.answer(pins.stop(), attempt -> {
            IdentityHashMap<PodPlan, PodPlan> renewed = new IdentityHashMap<>();
            List<WhatIfEvaluation> cases = new ArrayList<>(asked.size());
            for (WhatIfCase each : asked) {
                cases.add(new WhatIfEvaluation(each, renewed.computeIfAbsent(each.plan(), pins::renew)));
            }
            return new Judgement(cases, pins);
        });
    }

    private final class Judgement implements OverlayAttempts.Attempt<WhatIfAnswers> {
        private final List<WhatIfEvaluation> cases;
        private final PlanPins pins;
        private final IdentityHashMap<PodPlan, PodPlan> forks = new IdentityHashMap<>();
        private long revision;
        private @Nullable KindVersions versions;

        Judgement(List<WhatIfEvaluation> cases, PlanPins pins) {
            this.cases = cases;
            this.pins = pins;
        }

        @Override
        public List<WhatIfEvaluation> parts() {
            return cases;
        }

        /** Copies the plans' counts; returns false if a plan is stale. */
        @Override
        public boolean advance(BooleanSupplier isTimeUp) {
            PlanFork copies = PlanFork.frozen();
            for (WhatIfEvaluation each : cases) {
                if (!each.plan().isCurrent()) {
                    return false;
                }
                forks.computeIfAbsent(each.plan(), copies::fork);
                each.judgeEntry(cluster);
            }
            revision = cluster.revision();
            versions = cluster.versions().copy();
            return true;
        }

        @Override
        public boolean prepare() {
            return false;
        }

        @Override
        public WhatIfAnswers answer() {
            List<WhatIfResult> results = new ArrayList<>(cases.size());
            for (WhatIfEvaluation each : cases) {
                pins.stop().check();
                results.add(each.judge(Objects.requireNonNull(forks.get(each.plan()))));
            }
            return new WhatIfAnswers(revision, Objects.requireNonNull(versions), results);
        }
    }
}

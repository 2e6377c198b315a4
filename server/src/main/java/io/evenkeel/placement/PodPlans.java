package io.evenkeel.placement;

import io.evenkeel.engine.DefaultConstraints;
import io.evenkeel.engine.IncomingPod;
import io.evenkeel.engine.PodPlan;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.feed.IncomingPodTranslator;
import io.evenkeel.feed.InvalidObjectException;
import io.evenkeel.v1.Pod;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** From the pods of requests to plans. Safe for use by several threads. */
final class PodPlans {
    private final SpreadEngine engine;
    private final RequestReader reader;
    private final IncomingPodTranslator translator;
    private final LongAdder misses = new LongAdder();

    PodPlans(SpreadEngine engine, RequestReader reader, Limits limits) {
        this.engine = engine;
        this.reader = reader;
        this.translator = new IncomingPodTranslator(limits.pod());
    }

    /** Plans that had to be compiled. */
    long misses() {
        return misses.sum();
    }

    /**
     * What a pod asks for.
     *
     * @param own the defaults that the request brings, or null
     */
    Wanted read(Pod pod, @Nullable DefaultConstraints own) throws InvalidObjectException {
        return new Wanted(translator.translate(pod), reader.defaultsFor(pod, own));
    }

    /** A pod whose plan is wanted, and the plan once it is there. Not safe for use by several threads. */
    final class Wanted {
        private final IncomingPod pod;
        private final DefaultConstraints defaults;
        private @Nullable PodPlan plan;

        private Wanted(IncomingPod pod, DefaultConstraints defaults) {
            this.pod = pod;
            this.defaults = defaults;
        }

        /** Looks for the plan; answers whether it is there. */
        boolean find() {
            plan = engine.findPlan(pod, defaults);
            return plan != null;
        }

        /** The plan; compiled where it is not there. */
        PodPlan get() {
            if (plan == null && !find()) {
                misses.increment();
                plan = engine.plan(pod, defaults);
            }
            return Objects.requireNonNull(plan);
        }
    }
}

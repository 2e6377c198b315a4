package io.evenkeel.placement;

import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ProfileDefaults;
import java.time.Duration;

/**
 * The settings of an instance.
 *
 * @param engine the settings of the engine; the cache of pods uses an eighth of its bytes for plans
 * @param defaults the default constraints of the cluster, for requests without their own
 * @param assumptionLifetime how long an assumed pod counts unless the watch confirms it, if the request does not set
 *     it; zero means forever
 * @param clock the clock for the expiry of assumptions and the age of feeds
 */
public record InstanceOptions(
        EngineOptions engine,
        Limits limits,
        ProfileDefaults defaults,
        Duration assumptionLifetime,
        InstanceClock clock) {
    private static final Duration ASSUMPTION_LIFETIME = Duration.ofMinutes(10);

    public InstanceOptions {
        if (assumptionLifetime.isNegative()) {
            throw new IllegalArgumentException("assumptionLifetime must not be negative, was " + assumptionLifetime);
        }
    }

    /** Options with the system clock. */
    public InstanceOptions(EngineOptions engine, Limits limits, ProfileDefaults defaults, Duration assumptionLifetime) {
        this(engine, limits, defaults, assumptionLifetime, InstanceClock.SYSTEM);
    }

    /** kube-scheduler's own default constraints, and assumptions that expire after ten minutes. */
    public static InstanceOptions standard() {
        return new InstanceOptions(
                EngineOptions.defaults(),
                Limits.DEFAULT,
                ProfileDefaults.of(SpreadDefaults.SYSTEM),
                ASSUMPTION_LIFETIME);
    }

    public InstanceOptions withEngine(EngineOptions options) {
        return new InstanceOptions(options, limits, defaults, assumptionLifetime, clock);
    }

    public InstanceOptions withLimits(Limits most) {
        return new InstanceOptions(engine, most, defaults, assumptionLifetime, clock);
    }

    public InstanceOptions withDefaults(ProfileDefaults inForce) {
        return new InstanceOptions(engine, limits, inForce, assumptionLifetime, clock);
    }

    public InstanceOptions withClock(InstanceClock time) {
        return new InstanceOptions(engine, limits, defaults, assumptionLifetime, time);
    }
}

package io.evenkeel.placement;

import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ProfileDefaults;
import java.time.Duration;

/**
 * The settings of an instance.
 *
 * @param engine the settings of the engine; an eighth of its bytes for plans is used for the cache of pods
 * @param defaults the default constraints of the cluster, for requests that have none
 * @param assumptionLifetime how long an assumed pod counts unless the watch confirms it, where the request does not
 *     say; zero means for ever
 */
public record InstanceOptions(
        EngineOptions engine, Limits limits, ProfileDefaults defaults, Duration assumptionLifetime) {
    private static final Duration ASSUMPTION_LIFETIME = Duration.ofMinutes(10);

    public InstanceOptions {
        if (assumptionLifetime.isNegative()) {
            throw new IllegalArgumentException("assumptionLifetime must not be negative, was " + assumptionLifetime);
        }
    }

    /** kube-scheduler's own default constraints, and assumptions that last ten minutes. */
    public static InstanceOptions standard() {
        return new InstanceOptions(
                EngineOptions.defaults(),
                Limits.DEFAULT,
                ProfileDefaults.of(SpreadDefaults.SYSTEM),
                ASSUMPTION_LIFETIME);
    }

    public InstanceOptions withEngine(EngineOptions options) {
        return new InstanceOptions(options, limits, defaults, assumptionLifetime);
    }

    public InstanceOptions withLimits(Limits most) {
        return new InstanceOptions(engine, most, defaults, assumptionLifetime);
    }

    public InstanceOptions withDefaults(ProfileDefaults inForce) {
        return new InstanceOptions(engine, limits, inForce, assumptionLifetime);
    }
}

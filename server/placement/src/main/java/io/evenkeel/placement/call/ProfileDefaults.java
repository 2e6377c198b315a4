package io.evenkeel.placement.call;

import io.evenkeel.engine.model.SpreadDefaults;
import java.util.Map;

/**
 * The default constraints of the cluster, by scheduler profile.
 *
 * @param byProfile the defaults by {@code schedulerName}
 * @param others the defaults for pods of any other profile
 */
public record ProfileDefaults(Map<String, SpreadDefaults> byProfile, SpreadDefaults others) {
    private static final String DEFAULT_PROFILE = "default-scheduler";

    public ProfileDefaults {
        byProfile = Map.copyOf(byProfile);
    }

    /** The same defaults for every pod. */
    public static ProfileDefaults of(SpreadDefaults defaults) {
        return new ProfileDefaults(Map.of(), defaults);
    }

    /** The defaults for a pod with this {@code schedulerName}; empty means {@code default-scheduler}. */
    public SpreadDefaults of(String schedulerName) {
        return byProfile.getOrDefault(schedulerName.isEmpty() ? DEFAULT_PROFILE : schedulerName, others);
    }
}

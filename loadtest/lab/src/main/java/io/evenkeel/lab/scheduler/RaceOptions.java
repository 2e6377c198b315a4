package io.evenkeel.lab.scheduler;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What all turns of a race have in common.
 *
 * @param bind how many pods to bind
 * @param leadInSeconds how long the lead-in takes
 * @param patienceSeconds how long to wait while no pod is bound
 * @param minNodes how many nodes a cluster must have for Evenkeel to be asked; null for the shipped value
 * @param minWaitMillis how long the plugin waits for an answer at least; null for the shipped value
 * @param replays the directory to which the plugin writes answers that differ
 * @param work a directory for configurations, sockets and the recording
 */
record RaceOptions(
        int bind,
        long leadInSeconds,
        long patienceSeconds,
        @Nullable Integer minNodes,
        @Nullable Integer minWaitMillis,
        Path replays,
        Path work) {
    /** The file that {@link Side#RECORDED} plays. */
    Path recording() {
        return work.resolve("recording");
    }

    /** The address of the turn's Evenkeel server. */
    String socket() {
        return "unix:" + work.resolve("evenkeel.sock");
    }
}

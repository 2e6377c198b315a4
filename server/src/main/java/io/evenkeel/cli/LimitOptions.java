package io.evenkeel.cli;

import io.evenkeel.feed.PodLimits;
import io.evenkeel.placement.Limits;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How much one caller may ask for. */
final class LimitOptions {
    @Option(
            names = "--max-pods",
            paramLabel = "N",
            defaultValue = "1024",
            description = "Pods of one query (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--max-cases",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Cases of one WhatIf call (default: ${DEFAULT-VALUE}).")
    private int cases;

    @Option(
            names = "--max-names",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Node names of one request or node set (default: ${DEFAULT-VALUE}).")
    private int names;

    @Option(
            names = "--max-constraints",
            paramLabel = "N",
            defaultValue = "64",
            description = "Topology spread constraints of one pod (default: ${DEFAULT-VALUE}).")
    private int constraints;

    @Option(
            names = "--max-entries",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Entries of any other list or map of one pod (default: ${DEFAULT-VALUE}).")
    private int entries;

    @Option(
            names = "--max-events",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Objects or events of one message (default: ${DEFAULT-VALUE}).")
    private int events;

    @Option(
            names = "--max-node-sets",
            paramLabel = "N",
            defaultValue = "256",
            description = "Registered node sets; the one unused longest goes first (default: ${DEFAULT-VALUE}).")
    private int nodeSets;

    @Option(
            names = "--max-node-set-names",
            paramLabel = "N",
            defaultValue = "2000000",
            description = "Names in all registered node sets together (default: ${DEFAULT-VALUE}).")
    private int nodeSetNames;

    @Option(
            names = "--max-response-bytes",
            paramLabel = "BYTES",
            defaultValue = "67108864",
            description =
                    "About how large an answer of Filter, Score, Evaluate or Explain may be (default: ${DEFAULT-VALUE}).")
    private long responseBytes;

    @Option(
            names = "--max-waiting-calls",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Calls that wait for a revision at the same time (default: ${DEFAULT-VALUE}).")
    private int waitingCalls;

    @Option(
            names = "--longest-wait",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "30s",
            description = "How long a call may wait for a revision (default: ${DEFAULT-VALUE}).")
    private Duration longestWait = Duration.ZERO;

    LimitOptions() {}

    /** The limits asked for. */
    Limits limits() {
        return new Limits(
                pods,
                cases,
                names,
                new PodLimits(constraints, entries),
                events,
                nodeSets,
                nodeSetNames,
                responseBytes,
                waitingCalls,
                longestWait);
    }
}

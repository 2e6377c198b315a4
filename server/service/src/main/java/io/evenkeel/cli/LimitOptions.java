package io.evenkeel.cli;

import io.evenkeel.objects.PodLimits;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TransportLimits;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options that limit what callers may ask for and hold. */
final class LimitOptions {
    @Option(
            names = "--max-pods",
            paramLabel = "N",
            defaultValue = "1024",
            description = "Pods of one query (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--max-query-constraints",
            paramLabel = "N",
            defaultValue = "16384",
            description = "Topology spread constraints of all pods of one query together (default: ${DEFAULT-VALUE}).")
    private int queryConstraints;

    @Option(
            names = "--max-new-constraints",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Topology spread constraints of those pods of one query that were not asked about before"
                    + " and need new plans (default: ${DEFAULT-VALUE}).")
    private int newConstraints;

    @Option(
            names = "--max-cases",
            paramLabel = "N",
            defaultValue = "16384",
            description = "Cases of one WhatIf call (default: ${DEFAULT-VALUE}).")
    private int cases;

    @Option(
            names = "--max-names",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Node names of one request or node set, and pods that the overlays of one WhatIf call name"
                    + " (default: ${DEFAULT-VALUE}).")
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
            description = "Registered node sets; the one unused longest is dropped first (default: ${DEFAULT-VALUE}).")
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
                    "Roughly how many bytes a response of Filter, Score, Evaluate or Explain may take (default: ${DEFAULT-VALUE}).")
    private long responseBytes;

    @Option(
            names = "--max-waiting-calls",
            paramLabel = "N",
            defaultValue = "10000",
            description =
                    "Calls that wait for a revision or for versions at the same time (default: ${DEFAULT-VALUE}).")
    private int waitingCalls;

    @Option(
            names = "--longest-wait",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "30s",
            description = "How long a call may wait for a revision or for versions (default: ${DEFAULT-VALUE}).")
    private Duration longestWait = Duration.ZERO;

    @Option(
            names = "--max-bytes-in-flight",
            paramLabel = "BYTES",
            description =
                    "Bytes of requests and responses of queries under way at the same time, over all connections; feeds may have "
                            + "as many again (default: an eighth of the heap, at least 64 MiB).")
    private long bytesInFlight = TransportLimits.DEFAULT.bytesInFlight();

    @Option(
            names = "--stalled-after",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "30s",
            description =
                    "How long a caller may leave a request half sent or responses unread before its call ends, and a feeder may "
                            + "be silent before another one may begin a snapshot in its place (default: ${DEFAULT-VALUE}).")
    private Duration stalledAfter = Duration.ZERO;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Connections of callers who were let in; calls on further ones are refused (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(
            names = "--max-new-connections",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Connections over which no caller was let in yet. If one more connects, the server closes the oldest"
                            + " connection of the address (or IPv6 /64 network) that has the most (default: ${DEFAULT-VALUE}).")
    private int newcomers;

    @Option(
            names = "--max-calls",
            paramLabel = "N",
            description =
                    "Calls and streams open at the same time over all connections, and as many of feeds; further ones"
                            + " are refused, except the first 16 on each connection (default: one for each 32 KiB of the heap, at"
                            + " least 20000 and at most 1000000).")
    private int calls = TransportLimits.DEFAULT.calls();

    @Option(
            names = "--max-calls-on-connection",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Calls open at the same time on one connection; clients hold further ones back "
                    + "(default: ${DEFAULT-VALUE}).")
    private int callsOnConnection;

    @Option(
            names = "--idle-connection",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "15m",
            description = "How long a connection without calls stays open (default: ${DEFAULT-VALUE}).")
    private Duration idle = Duration.ZERO;

    @Option(
            names = "--connection-age",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "0",
            description =
                    "After how long clients are told to connect again, so that they find replicas that came later;"
                            + " calls under way end first. 0 is never (default: ${DEFAULT-VALUE}).")
    private Duration age = Duration.ZERO;

    LimitOptions() {}

    /** Refuses limits with which no server can work. */
    void check(OptionBounds bounds) {
        bounds.requireAtLeast(
                1,
                "--max-pods",
                "--max-query-constraints",
                "--max-new-constraints",
                "--max-cases",
                "--max-names",
                "--max-constraints",
                "--max-entries",
                "--max-events",
                "--max-node-sets",
                "--max-node-set-names",
                "--max-response-bytes",
                "--max-waiting-calls",
                "--max-bytes-in-flight",
                "--max-connections",
                "--max-new-connections",
                "--max-calls",
                "--max-calls-on-connection");
        bounds.requireMoreThanZero("--stalled-after", "--idle-connection");
    }

    /** The limits on connections that the options choose, after {@link #check}. */
    TransportLimits transport() {
        return new TransportLimits(
                bytesInFlight, stalledAfter, connections, newcomers, calls, callsOnConnection, idle, age);
    }

    /** The limits on requests that the options choose, after {@link #check}. */
    Limits limits() {
        return Limits.builder()
                .pods(pods)
                .constraints(queryConstraints)
                .newConstraints(newConstraints)
                .cases(cases)
                .names(names)
                .pod(new PodLimits(constraints, entries))
                .events(events)
                .nodeSets(nodeSets)
                .nodeSetNames(nodeSetNames)
                .responseBytes(responseBytes)
                .waitingCalls(waitingCalls)
                .longestWait(longestWait)
                .stalledAfter(stalledAfter)
                .build();
    }
}

package io.evenkeel.cli;

import io.evenkeel.objects.PodLimits;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TransportLimits;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options that limit what callers can request and hold. */
final class LimitOptions {
    @Option(
            names = "--max-pods",
            paramLabel = "N",
            defaultValue = "1024",
            description = "Pods in one query (default: ${DEFAULT-VALUE}).")
    private int pods;

    @Option(
            names = "--max-query-constraints",
            paramLabel = "N",
            defaultValue = "16384",
            description = "Topology spread constraints of all pods in one query together (default: ${DEFAULT-VALUE}).")
    private int queryConstraints;

    @Option(
            names = "--max-new-constraints",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Topology spread constraints of the pods in one query that have no cached plan"
                    + " (default: ${DEFAULT-VALUE}).")
    private int newConstraints;

    @Option(
            names = "--max-cases",
            paramLabel = "N",
            defaultValue = "16384",
            description = "Cases in one WhatIf call (default: ${DEFAULT-VALUE}).")
    private int cases;

    @Option(
            names = "--max-names",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Node names in one request or node set, and pods named by the overlays of one WhatIf call"
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
            description = "Entries in any other list or map of one pod (default: ${DEFAULT-VALUE}).")
    private int entries;

    @Option(
            names = "--max-events",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Objects or events in one message (default: ${DEFAULT-VALUE}).")
    private int events;

    @Option(
            names = "--max-node-sets",
            paramLabel = "N",
            defaultValue = "256",
            description = "Registered node sets; the least recently used is dropped first (default: ${DEFAULT-VALUE}).")
    private int nodeSets;

    @Option(
            names = "--max-node-set-names",
            paramLabel = "N",
            defaultValue = "2000000",
            description = "Node names in all registered node sets together (default: ${DEFAULT-VALUE}).")
    private int nodeSetNames;

    @Option(
            names = "--max-response-bytes",
            paramLabel = "BYTES",
            defaultValue = "67108864",
            description =
                    "Approximate size of a response to Filter, Score, Evaluate or Explain (default: ${DEFAULT-VALUE}).")
    private long responseBytes;

    @Option(
            names = "--max-waiting-calls",
            paramLabel = "N",
            defaultValue = "10000",
            description =
                    "Calls waiting for a revision or for object versions at the same time (default: ${DEFAULT-VALUE}).")
    private int waitingCalls;

    @Option(
            names = "--longest-wait",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "30s",
            description = "How long a call can wait for a revision or for object versions (default: ${DEFAULT-VALUE}).")
    private Duration longestWait = Duration.ZERO;

    @Option(
            names = "--max-bytes-in-flight",
            paramLabel = "BYTES",
            description =
                    "Bytes of requests and responses of all queries in progress, over all connections; feeds can use "
                            + "the same amount again (default: an eighth of the heap, at least 64 MiB).")
    private long bytesInFlight = TransportLimits.DEFAULT.bytesInFlight();

    @Option(
            names = "--stalled-after",
            paramLabel = "DURATION",
            converter = Durations.class,
            defaultValue = "30s",
            description =
                    "How long a request can stay half sent or responses unread before the call is aborted, and how long a feeder "
                            + "can be silent before another one can take over its snapshot (default: ${DEFAULT-VALUE}).")
    private Duration stalledAfter = Duration.ZERO;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Authenticated connections; calls on further ones are rejected (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(
            names = "--max-new-connections",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Connections that are not yet authenticated. If there is one more, the server closes the oldest"
                            + " connection from the address (or IPv6 /64 network) with the most of them (default: ${DEFAULT-VALUE}).")
    private int newcomers;

    @Option(
            names = "--max-calls",
            paramLabel = "N",
            description =
                    "Open calls and streams of queries over all connections, and the same number of feeds; further ones"
                            + " are rejected, except the first 16 on each connection (default: one for each 32 KiB of the heap, at"
                            + " least 20000 and at most 1000000).")
    private int calls = TransportLimits.DEFAULT.calls();

    @Option(
            names = "--max-calls-on-connection",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Open calls on one connection; clients queue further ones " + "(default: ${DEFAULT-VALUE}).")
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
                    "After how long clients are asked to reconnect, so that they find new replicas; calls in progress"
                            + " complete first. 0 means never (default: ${DEFAULT-VALUE}).")
    private Duration age = Duration.ZERO;

    LimitOptions() {}

    /** Rejects limits with which no server can work. */
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

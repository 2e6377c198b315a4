package io.evenkeel.cli;

import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TransportLimits;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options that limit what callers can request and hold, and what the engine keeps in memory.
 *
 * @param command a command with these options, whose arguments have been parsed
 */
record LimitOptions(CommandSpec command) {
    private static final List<Limit> ALL = List.of(
            count("--max-message-bytes", "16777216", "Maximum size of a request"),
            count("--max-pods", "1024", "Pods in one query"),
            count("--max-query-constraints", "16384", "Topology spread constraints of all pods in one query together"),
            count(
                    "--max-new-constraints",
                    "4096",
                    "Topology spread constraints of the pods in one query that have no cached plan"),
            count("--max-cases", "16384", "Cases in one WhatIf call"),
            count(
                    "--max-names",
                    "200000",
                    "Node names in one request or node set, and pods named by the overlays of one WhatIf call"),
            count("--max-constraints", "64", "Topology spread constraints of one pod"),
            count("--max-entries", "10000", "Entries in any other list or map of one pod"),
            count("--max-events", "20000", "Objects or events in one message"),
            count("--max-node-sets", "256", "Registered node sets; the least recently used is dropped first"),
            count("--max-node-set-names", "2000000", "Node names in all registered node sets together"),
            count("--max-sessions", "64", "Open sessions"),
            count(
                    "--max-sessions-of-caller",
                    "16",
                    "Open sessions of one caller; without access control, of all callers"),
            bytes(
                    "--max-session-bytes",
                    Long.toString(Limits.DEFAULT.sessionBytes()),
                    "Approximate size of what all sessions have added and changed, and of what they can revert"
                            + " (default: a sixteenth of the heap)."),
            bytes(
                    "--max-session-bytes-of-caller",
                    Long.toString(Limits.DEFAULT.callerSessionBytes()),
                    "The same for the sessions of one caller; without access control, of all callers"
                            + " (default: a 32nd of the heap)."),
            time("--session-idle", "10m", "How long a session can stay open without a call")
                    .atLeast(1),
            count("--max-watched-pods", "100000", "Pods that WatchUnblocked watches on all streams"),
            count(
                    "--max-watched-kinds",
                    "1024",
                    "Kinds of pods that WatchUnblocked watches on all streams: equal pods on a stream are one kind"),
            bytes(
                    "--max-response-bytes",
                    "67108864",
                    "Approximate size of a response to Filter, Score, Evaluate or Explain"),
            count(
                    "--max-waiting-calls",
                    "10000",
                    "Calls waiting for a revision or for object versions at the same time"),
            time("--longest-wait", "30s", "How long a call can wait for a revision or for object versions"),
            bytes(
                    "--max-bytes-in-flight",
                    Long.toString(TransportLimits.DEFAULT.bytesInFlight()),
                    "Bytes of requests and responses of all queries in progress, over all connections; feeds can use "
                            + "the same amount again (default: an eighth of the heap, at least 64 MiB)."),
            time(
                            "--stalled-after",
                            "30s",
                            "How long a request can stay half sent or responses unread before the call is aborted, and how long a feeder "
                                    + "can be silent before another one can take over its snapshot")
                    .atLeast(1),
            count("--max-connections", "1000", "Authenticated connections; calls on further ones are rejected"),
            count(
                    "--max-new-connections",
                    "1000",
                    "Connections that are not yet authenticated. If there is one more, the server closes the oldest"
                            + " connection from the address (or IPv6 /64 network) with the most of them"),
            count(
                    "--max-calls",
                    Integer.toString(TransportLimits.DEFAULT.calls()),
                    "Open calls and streams of queries over all connections, and the same number of feeds; further ones"
                            + " are rejected, except the first 16 on each connection (default: one for each 32 KiB of the heap, at"
                            + " least 20000 and at most 1000000)."),
            count("--max-calls-on-connection", "10000", "Open calls on one connection; clients queue further ones"),
            time("--idle-connection", "15m", "How long a connection without calls stays open")
                    .atLeast(1),
            time(
                    "--connection-age",
                    "0",
                    "After how long clients are asked to reconnect, so that they find new replicas; calls in progress"
                            + " complete first. 0 means never"),
            count(
                    "--max-plans",
                    "65536",
                    "Maximum number of cached pod plans; beyond it, the least recently used are evicted"),
            bytes(
                            "--max-plan-bytes",
                            Long.toString(EngineOptions.defaults().maxPlanBytes()),
                            "Memory for cached plans, including their selectors, node conditions and counts, and for pods"
                                    + " recognised by their bytes; beyond it, the least recently used plans are evicted"
                                    + " (default: a quarter of the heap).")
                    .atLeast(0),
            count(
                            "--tombstones",
                            "65536",
                            "Number of deleted pods to remember, so that late events do not restore them")
                    .atLeast(0));

    /**
     * An option.
     *
     * @param least the lowest valid value; of a duration in the smallest unit
     * @param usual the default; if it depends on the heap, the description says how
     */
    private record Limit(String name, Class<?> type, int least, String usual, String description) {
        Limit atLeast(int value) {
            return new Limit(name, type, value, usual, description);
        }

        OptionSpec option() {
            OptionSpec.Builder option = OptionSpec.builder(name).type(type);
            if (type == Duration.class) {
                option.paramLabel("DURATION").converters(new Durations());
            } else {
                option.paramLabel(name.contains("bytes") ? "BYTES" : "N");
            }
            return option.defaultValue(usual)
                    .description(
                            description.endsWith(").") ? description : description + " (default: ${DEFAULT-VALUE}).")
                    .build();
        }
    }

    private static Limit count(String name, String usual, String description) {
        return new Limit(name, int.class, 1, usual, description);
    }

    private static Limit bytes(String name, String usual, String description) {
        return new Limit(name, long.class, 1, usual, description);
    }

    private static Limit time(String name, String usual, String description) {
        return new Limit(name, Duration.class, 0, usual, description);
    }

    /** Adds the options to a command. */
    static final class Added implements IModelTransformer {
        Added() {}

        @Override
        public CommandSpec transform(CommandSpec command) {
            ALL.forEach(limit -> command.addOption(limit.option()));
            // The last ones in the help text.
            for (String name : List.of("--help", "--version")) {
                OptionSpec option = command.findOption(name);
                command.remove(option).addOption(option);
            }
            return command;
        }
    }

    /** Rejects limits with which no server can work. */
    void check(OptionBounds bounds) {
        for (Limit limit : ALL) {
            if (limit.type != Duration.class) {
                bounds.requireAtLeast(limit.least, limit.name);
            } else if (limit.least > 0) {
                bounds.requireMoreThanZero(limit.name);
            }
        }
    }

    private int count(String name) {
        return command.findOption(name).<Integer>getValue();
    }

    private long bytes(String name) {
        return command.findOption(name).<Long>getValue();
    }

    private Duration time(String name) {
        return command.findOption(name).getValue();
    }

    int maxMessageBytes() {
        return count("--max-message-bytes");
    }

    /** The limits on connections that the options choose, after {@link #check}. */
    TransportLimits transport() {
        return new TransportLimits(
                bytes("--max-bytes-in-flight"),
                time("--stalled-after"),
                count("--max-connections"),
                count("--max-new-connections"),
                count("--max-calls"),
                count("--max-calls-on-connection"),
                time("--idle-connection"),
                time("--connection-age"));
    }

    /** The limits on requests that the options choose, after {@link #check}. */
    Limits limits() {
        return Limits.builder()
                .pods(count("--max-pods"))
                .constraints(count("--max-query-constraints"))
                .newConstraints(count("--max-new-constraints"))
                .cases(count("--max-cases"))
                .names(count("--max-names"))
                .pod(new PodLimits(count("--max-constraints"), count("--max-entries")))
                .events(count("--max-events"))
                .nodeSets(count("--max-node-sets"))
                .nodeSetNames(count("--max-node-set-names"))
                .responseBytes(bytes("--max-response-bytes"))
                .waitingCalls(count("--max-waiting-calls"))
                .longestWait(time("--longest-wait"))
                .sessions(count("--max-sessions"))
                .callerSessions(count("--max-sessions-of-caller"))
                .sessionBytes(bytes("--max-session-bytes"))
                .callerSessionBytes(bytes("--max-session-bytes-of-caller"))
                .sessionIdle(time("--session-idle"))
                .watchedPods(count("--max-watched-pods"))
                .watchedKinds(count("--max-watched-kinds"))
                .stalledAfter(time("--stalled-after"))
                .build();
    }

    /** The settings of the engine that the options choose, after {@link #check}. */
    EngineOptions engine() {
        return EngineOptions.defaults()
                .withMaxPlans(count("--max-plans"))
                .withTombstones(count("--tombstones"))
                .withMaxPlanBytes(bytes("--max-plan-bytes"));
    }
}

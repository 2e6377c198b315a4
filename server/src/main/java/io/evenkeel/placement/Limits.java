package io.evenkeel.placement;

import io.evenkeel.feed.PodLimits;
import java.time.Duration;

/**
 * How much one caller may ask for. A request beyond a limit is refused with RESOURCE_EXHAUSTED, a pod beyond {@code pod} with INVALID_ARGUMENT in its item.
 *
 * @param pods pods of one query
 * @param constraints constraints of all pods of one query together
 * @param newConstraints of these, those of pods whose plans are not known and have to be compiled; a pod that goes beyond is refused in its item
 * @param cases cases of one what-if request
 * @param names node names of one request or node set
 * @param pod how much one incoming pod may hold
 * @param events events, objects, assumed or forgotten pods of one message
 * @param nodeSets registered node sets; beyond it the one that was unused longest goes
 * @param nodeSetNames names in all node sets together; likewise
 * @param responseBytes about how large one response of Filter, Score, Evaluate or Explain may be; the others are bounded by what they are asked
 * @param waitingCalls calls that wait for a revision at the same time
 * @param longestWait how long a call may wait for a revision
 */
public record Limits(
        int pods,
        int constraints,
        int newConstraints,
        int cases,
        int names,
        PodLimits pod,
        int events,
        int nodeSets,
        int nodeSetNames,
        long responseBytes,
        int waitingCalls,
        Duration longestWait) {
    /** The longest duration that is taken, 100 years: far longer ones do not fit into nanoseconds. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    public static final Limits DEFAULT = new Limits(
            1_024,
            16_384,
            4_096,
            4_096,
            200_000,
            PodLimits.DEFAULT,
            20_000,
            256,
            2_000_000,
            64 << 20,
            10_000,
            Duration.ofSeconds(30));

    public Limits {
        atLeastOne("pods", pods);
        atLeastOne("constraints", constraints);
        atLeastOne("newConstraints", newConstraints);
        atLeastOne("cases", cases);
        atLeastOne("names", names);
        atLeastOne("events", events);
        atLeastOne("nodeSets", nodeSets);
        atLeastOne("nodeSetNames", nodeSetNames);
        atLeastOne("responseBytes", responseBytes);
        atLeastOne("waitingCalls", waitingCalls);
        if (longestWait.isNegative()) {
            throw new IllegalArgumentException("longestWait must not be negative, was " + longestWait);
        }
        if (longestWait.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("longestWait must be at most " + LONGEST + ", was " + longestWait);
        }
    }

    public Limits withPods(int most) {
        return new Limits(
                most,
                constraints,
                newConstraints,
                cases,
                names,
                pod,
                events,
                nodeSets,
                nodeSetNames,
                responseBytes,
                waitingCalls,
                longestWait);
    }

    /**
     * Other bounds on constraints.
     *
     * @param most constraints of one query
     * @param mostNew of these, those of pods whose plans are not known
     */
    public Limits withConstraints(int most, int mostNew) {
        return new Limits(
                pods,
                most,
                mostNew,
                cases,
                names,
                pod,
                events,
                nodeSets,
                nodeSetNames,
                responseBytes,
                waitingCalls,
                longestWait);
    }

    public Limits withNodeSets(int most) {
        return new Limits(
                pods,
                constraints,
                newConstraints,
                cases,
                names,
                pod,
                events,
                most,
                nodeSetNames,
                responseBytes,
                waitingCalls,
                longestWait);
    }

    public Limits withResponseBytes(long most) {
        return new Limits(
                pods,
                constraints,
                newConstraints,
                cases,
                names,
                pod,
                events,
                nodeSets,
                nodeSetNames,
                most,
                waitingCalls,
                longestWait);
    }

    public Limits withLongestWait(Duration longest) {
        return new Limits(
                pods,
                constraints,
                newConstraints,
                cases,
                names,
                pod,
                events,
                nodeSets,
                nodeSetNames,
                responseBytes,
                waitingCalls,
                longest);
    }

    /** Refuses a request that has more than {@code most} of something. */
    static void admit(int count, int most, String field) {
        if (count > most) {
            throw RequestException.overLimit(field, "must have at most " + most + " entries, had " + count);
        }
    }

    /**
     * Refuses a request whose pods have more constraints together than it may.
     *
     * @param field of the request, that holds the pods
     */
    void admitConstraints(long together, String field) {
        if (together > constraints) {
            throw RequestException.overLimit(
                    field,
                    "must have at most " + constraints
                            + " topologySpreadConstraints together, had more: ask about fewer pods at once");
        }
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, was " + value);
        }
    }
}

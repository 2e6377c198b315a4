package io.evenkeel.placement.call;

import io.evenkeel.objects.PodLimits;
import java.time.Duration;

/**
 * How much one caller may ask for. A request beyond a limit is refused with RESOURCE_EXHAUSTED, a pod beyond
 * {@code pod} with INVALID_ARGUMENT in its item.
 *
 * @param pods pods of one query
 * @param constraints constraints of all pods of one query together
 * @param newConstraints of these, those of pods whose plans are not known and have to be compiled; a pod that goes
 *     beyond is refused in its item
 * @param cases cases of one what-if request
 * @param names node names of one request or node set
 * @param pod how much one incoming pod may hold
 * @param events events, objects, assumed or forgotten pods of one message
 * @param nodeSets registered node sets; beyond it the one that was unused longest goes
 * @param nodeSetNames names in all node sets together; likewise
 * @param responseBytes about how large one response of Filter, Score, Evaluate or Explain may be; the others are
 *     bounded by what they are asked
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

    public static final Limits DEFAULT = builder().build();

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

    /** Takes other limits by name, and has the default of each that it is not told. */
    public static Builder builder() {
        return new Builder();
    }

    /** Refuses a request that has more than {@code most} of something. */
    public static void admit(int count, int most, String field) {
        if (count > most) {
            throw RequestException.overLimit(field, "must have at most " + most + " entries, had " + count);
        }
    }

    /**
     * Refuses a request whose pods have more constraints together than it may.
     *
     * @param field of the request, that holds the pods
     */
    public void admitConstraints(long together, String field) {
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

    /** Makes limits; not safe for use by several threads. */
    public static final class Builder {
        private int pods = 1_024;
        private int constraints = 16_384;
        private int newConstraints = 4_096;
        private int cases = 4_096;
        private int names = 200_000;
        private PodLimits pod = PodLimits.DEFAULT;
        private int events = 20_000;
        private int nodeSets = 256;
        private int nodeSetNames = 2_000_000;
        private long responseBytes = 64 << 20;
        private int waitingCalls = 10_000;
        private Duration longestWait = Duration.ofSeconds(30);

        private Builder() {}

        public Builder pods(int most) {
            this.pods = most;
            return this;
        }

        public Builder constraints(int most) {
            this.constraints = most;
            return this;
        }

        public Builder newConstraints(int most) {
            this.newConstraints = most;
            return this;
        }

        public Builder cases(int most) {
            this.cases = most;
            return this;
        }

        public Builder names(int most) {
            this.names = most;
            return this;
        }

        public Builder pod(PodLimits most) {
            this.pod = most;
            return this;
        }

        public Builder events(int most) {
            this.events = most;
            return this;
        }

        public Builder nodeSets(int most) {
            this.nodeSets = most;
            return this;
        }

        public Builder nodeSetNames(int most) {
            this.nodeSetNames = most;
            return this;
        }

        public Builder responseBytes(long most) {
            this.responseBytes = most;
            return this;
        }

        public Builder waitingCalls(int most) {
            this.waitingCalls = most;
            return this;
        }

        public Builder longestWait(Duration longest) {
            this.longestWait = longest;
            return this;
        }

        /**
         * The limits told.
         *
         * @throws IllegalArgumentException where one of them can be no limit
         */
        public Limits build() {
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
                    longestWait);
        }
    }
}

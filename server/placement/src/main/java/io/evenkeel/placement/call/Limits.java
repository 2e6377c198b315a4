package io.evenkeel.placement.call;

import io.evenkeel.objects.PodLimits;
import java.time.Duration;

/**
 * The limits on what one call may ask for. A request beyond a limit is refused with RESOURCE_EXHAUSTED; a pod beyond
 * {@code pod} is refused in its item, with INVALID_ARGUMENT.
 *
 * @param pods pods of one query
 * @param constraints constraints of all pods of one query together
 * @param newConstraints those among them that belong to pods whose plans must be compiled; a pod that passes the limit
 *     is refused in its item
 * @param cases cases of one what-if request
 * @param names node names of one request or node set; pods in the overlays of one what-if request
 * @param pod the limits on one incoming pod
 * @param events events, objects, assumed or forgotten pods of one message
 * @param nodeSets registered node sets; beyond the limit, the set that was unused longest is dropped
 * @param nodeSetNames names in all node sets together; beyond the limit, sets are dropped in the same way
 * @param nodeSetBytes roughly how many bytes these names take; beyond the limit, sets are dropped in the same way, and
 *     a set that alone takes more is refused
 * @param responseBytes roughly how many bytes one response of Filter, Score, Evaluate or Explain may take; the size of
 *     other responses is bounded by their requests
 * @param waitingCalls calls that wait for a revision or for resource versions at the same time
 * @param waitingBytes bytes of the requests of these calls; at most half of them are one connection's
 * @param longestWait how long a call may wait for a revision or for resource versions
 * @param stalledAfter how long the feeder of a snapshot may be silent before another one may begin one of its own
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
        long nodeSetBytes,
        long responseBytes,
        int waitingCalls,
        long waitingBytes,
        Duration longestWait,
        Duration stalledAfter) {
    /** The longest duration that is accepted, 100 years. Much longer ones do not fit into nanoseconds. */
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
        atLeastOne("nodeSetBytes", nodeSetBytes);
        atLeastOne("responseBytes", responseBytes);
        atLeastOne("waitingCalls", waitingCalls);
        atLeastOne("waitingBytes", waitingBytes);
        notNegative("longestWait", longestWait);
        notNegative("stalledAfter", stalledAfter);
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, was " + value);
        }
        if (value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be at most " + LONGEST + ", was " + value);
        }
    }

    /** A builder with the default of each limit. */
    public static Builder builder() {
        return new Builder();
    }

    /** Refuses a request whose {@code field} has more than {@code most} entries. */
    public static void admit(int count, int most, String field) {
        if (count > most) {
            throw RequestException.overLimit(field, "must have at most " + most + " entries, had " + count);
        }
    }

    /** A limit that a request sets; {@code unset} where it is 0. A negative one is refused. */
    public static int orDefault(int given, int unset, String field) {
        if (given < 0) {
            throw RequestException.invalid(field, "must be at least 0, was " + given);
        }
        return given == 0 ? unset : given;
    }

    /**
     * Refuses a request whose pods have too many constraints together.
     *
     * @param field the field of the request that holds the pods
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

    /** Makes limits from the values that were set, and defaults for the others. Not safe for use by several threads. */
    public static final class Builder {
        /** Room for the largest request of one connection, which may have half of it. */
        private static final long LEAST_WAITING_BYTES = 32 << 20;

        private int pods = 1_024;
        private int constraints = 16_384;
        private int newConstraints = 4_096;
        private int cases = 16_384;
        private int names = 200_000;
        private PodLimits pod = PodLimits.DEFAULT;
        private int events = 20_000;
        private int nodeSets = 256;
        private int nodeSetNames = 2_000_000;
        private long nodeSetBytes = partOfHeap(16);
        private long responseBytes = 64 << 20;
        private int waitingCalls = 10_000;
        private long waitingBytes = Math.max(LEAST_WAITING_BYTES, partOfHeap(8));
        private Duration longestWait = Duration.ofSeconds(30);
        private Duration stalledAfter = Duration.ofSeconds(30);

        private Builder() {}

        private static long partOfHeap(int part) {
            return Runtime.getRuntime().maxMemory() / part;
        }

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

        public Builder nodeSetBytes(long most) {
            this.nodeSetBytes = most;
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

        public Builder waitingBytes(long most) {
            this.waitingBytes = most;
            return this;
        }

        public Builder longestWait(Duration longest) {
            this.longestWait = longest;
            return this;
        }

        public Builder stalledAfter(Duration longest) {
            this.stalledAfter = longest;
            return this;
        }

        /**
         * The limits that were set.
         *
         * @throws IllegalArgumentException where one of the values cannot be a limit
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
                    nodeSetBytes,
                    responseBytes,
                    waitingCalls,
                    waitingBytes,
                    longestWait,
                    stalledAfter);
        }
    }
}

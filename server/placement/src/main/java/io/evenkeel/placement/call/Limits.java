package io.evenkeel.placement.call;

import io.evenkeel.objects.PodLimits;
import java.time.Duration;

/**
 * The limits on calls. A request that exceeds a limit is rejected with RESOURCE_EXHAUSTED; a pod that exceeds
 * {@code pod} is rejected in its item, with INVALID_ARGUMENT.
 *
 * @param pods pods per query
 * @param constraints constraints of all pods of a query in total
 * @param newConstraints those of pods whose plans must be compiled; a pod that exceeds the limit is rejected in its
 *     item
 * @param cases cases per what-if request
 * @param names node names per request or node set; pods in the overlays of a what-if request
 * @param pod the limits on one incoming pod
 * @param events events, objects, assumed or forgotten pods per message
 * @param nodeSets registered node sets; beyond the limit, the least recently used set is evicted
 * @param nodeSetNames names in all node sets; beyond the limit, sets are evicted in the same way
 * @param nodeSetBytes approximate bytes of these names; beyond the limit, sets are evicted in the same way, and a set
 *     that exceeds the limit alone is rejected
 * @param responseBytes approximate bytes per response of Filter, Score, Evaluate or Explain; other responses are
 *     limited by the size of their requests
 * @param waitingCalls concurrent calls that wait for a revision or for resource versions
 * @param waitingBytes bytes of the requests of these calls; one connection may use at most half
 * @param longestWait how long a call may wait for a revision or for resource versions
 * @param sessions open sessions
 * @param callerSessions open sessions of one caller
 * @param sessionBytes approximate bytes of the changes of all sessions
 * @param callerSessionBytes those of the sessions of one caller
 * @param sessionIdle how long a session may be unused before it expires; a session can choose less
 * @param watchedPods pods that WatchUnblocked watches on all streams
 * @param watchedKinds kinds of pods that it watches on all streams: pods with equal plans on a stream are of one kind
 * @param stalledAfter how long the feeder of a snapshot may be silent before another feeder may start a snapshot
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
        int sessions,
        int callerSessions,
        long sessionBytes,
        long callerSessionBytes,
        Duration sessionIdle,
        int watchedPods,
        int watchedKinds,
        Duration stalledAfter) {
    /** The longest accepted duration, 100 years. Much longer ones overflow nanoseconds. */
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
        atLeastOne("sessions", sessions);
        atLeastOne("callerSessions", callerSessions);
        atLeastOne("sessionBytes", sessionBytes);
        atLeastOne("callerSessionBytes", callerSessionBytes);
        notNegative("sessionIdle", sessionIdle);
        atLeastOne("sessionIdle", sessionIdle.toNanos());
        atLeastOne("watchedPods", watchedPods);
        atLeastOne("watchedKinds", watchedKinds);
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

    /** A builder with default limits. */
    public static Builder builder() {
        return new Builder();
    }

    /** Rejects a request whose {@code field} has more than {@code most} entries. */
    public static void admit(int count, int most, String field) {
        if (count > most) {
            throw RequestException.overLimit(field, "must have at most " + most + " entries, had " + count);
        }
    }

    /** The limit that a request sets, or {@code unset} if it is 0. A negative limit is rejected. */
    public static int orDefault(int given, int unset, String field) {
        if (given < 0) {
            throw RequestException.invalid(field, "must be at least 0, was " + given);
        }
        return given == 0 ? unset : given;
    }

    /**
     * Rejects a request whose pods have too many constraints in total.
     *
     * @param field the field of the request that contains the pods
     */
    public void admitConstraints(long together, String field) {
        if (together > constraints) {
            throw RequestException.overLimit(
                    field,
                    "must have at most " + constraints
                            + " topologySpreadConstraints in total, had more; send fewer pods per request");
        }
    }

    private static void atLeastOne(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, was " + value);
        }
    }

    /** Builds limits. Values that are not set have defaults. Not thread-safe. */
    public static final class Builder {
        /** Room for the largest request, given that one connection may use only half. */
        private static final long MIN_WAITING_BYTES = 32 << 20;

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
        private long waitingBytes = Math.max(MIN_WAITING_BYTES, partOfHeap(8));
        private Duration longestWait = Duration.ofSeconds(30);
        private int sessions = 64;
        private int callerSessions = 16;
        private long sessionBytes = partOfHeap(16);
        private long callerSessionBytes = partOfHeap(32);
        private Duration sessionIdle = Duration.ofMinutes(10);
        private int watchedPods = 100_000;
        private int watchedKinds = 1_024;
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

        public Builder sessions(int most) {
            this.sessions = most;
            return this;
        }

        public Builder callerSessions(int most) {
            this.callerSessions = most;
            return this;
        }

        public Builder sessionBytes(long most) {
            this.sessionBytes = most;
            return this;
        }

        public Builder callerSessionBytes(long most) {
            this.callerSessionBytes = most;
            return this;
        }

        public Builder sessionIdle(Duration longest) {
            this.sessionIdle = longest;
            return this;
        }

        public Builder watchedPods(int most) {
            this.watchedPods = most;
            return this;
        }

        public Builder watchedKinds(int most) {
            this.watchedKinds = most;
            return this;
        }

        public Builder stalledAfter(Duration longest) {
            this.stalledAfter = longest;
            return this;
        }

        /**
         * Builds the limits.
         *
         * @throws IllegalArgumentException if a value is not a valid limit
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
                    sessions,
                    callerSessions,
                    sessionBytes,
                    callerSessionBytes,
                    sessionIdle,
                    watchedPods,
                    watchedKinds,
                    stalledAfter);
        }
    }
}

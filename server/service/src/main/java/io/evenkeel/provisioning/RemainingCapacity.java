package io.evenkeel.provisioning;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import java.util.List;

/**
 * The room of the cluster for one pass over the requests: a session in which {@code Schedule} judges and places their
 * pods. Room that is booked or found is taken for the requests after it. Not thread-safe.
 */
final class RemainingCapacity implements AutoCloseable {
    /** The most pods of a Schedule. */
    private static final int MAX_PODS = 100_000;

    private final PlacementClient client;
    private final Session session;

    /** Whether there is room for all pods of a request. */
    enum Outcome {
        FOUND,
        NOT_FOUND,
        /** A pod is invalid, or there are more than a call may have, so that they will never fit. */
        INVALID
    }

    /** @param detail why there is no room, or what was not judged; may be empty */
    record Result(Outcome outcome, String detail) {}

    /** Begins with the live state. */
    RemainingCapacity(PlacementClient client) {
        this.client = client;
        session = client.openSession();
    }

    /**
     * Takes the room of pods one after another, as far as it is there.
     *
     * @throws PlacementException if they cannot be judged now
     */
    Result place(List<ScheduledPods> pods) {
        long count = pods.stream().mapToLong(ScheduledPods::getCount).sum();
        if (count > MAX_PODS) {
            return new Result(Outcome.INVALID, "podSets must have at most " + MAX_PODS + " pods in all, had " + count);
        }
        List<ScheduledItem> items = client.schedule(ScheduleRequest.newBuilder()
                        .setSession(session.id())
                        .addAllPods(pods)
                        .build())
                .getItemsList();
        Result result = new Result(Outcome.FOUND, notJudged(items));
        for (int i = pods.size() - 1; i >= 0; i--) {
            ScheduledItem item = items.get(i);
            int wanted = pods.get(i).getCount();
            String name = pods.get(i).getPod().getMetadata().getName();
            if (item.hasError()) {
                if (item.getError().getReason() != ErrorReason.ERROR_REASON_INVALID_FIELD) {
                    throw PlacementException.of(item.getError());
                }
                return new Result(Outcome.INVALID, name + ": " + item.getError().getMessage());
            }
            if (item.getPlacedCount() < wanted) {
                result = new Result(
                        Outcome.NOT_FOUND,
                        item.getPlacedCount() + " of " + wanted + " pods of " + name + " fit: " + item.getSummary());
            }
        }
        return result;
    }

    private static String notJudged(List<ScheduledItem> items) {
        List<String> rules = UnjudgedRules.names(items.stream().flatMap(item -> item.getUnjudgedList().stream()));
        return rules.isEmpty() ? "" : "not judged: " + String.join(", ", rules);
    }

    /** Begins a trial, in which {@link #place} takes room that may be given back. */
    void begin() {
        session.fork();
    }

    /** Ends the trial. */
    void end(boolean isTaken) {
        if (isTaken) {
            session.commit();
        } else {
            session.revert();
        }
    }

    @Override
    public void close() {
        session.close();
    }
}

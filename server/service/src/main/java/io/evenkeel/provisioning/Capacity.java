package io.evenkeel.provisioning;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Session;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import java.util.List;

/**
 * The room of the cluster for one pass over the requests: a session in which {@code Schedule} judges and places their
 * pods. Room that is booked or found is taken for the requests after it. Not thread-safe.
 */
final class Capacity implements AutoCloseable {
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
    Capacity(PlacementClient client) {
        this.client = client;
        session = client.openSession();
    }

    /** Takes the room of pods, as far as it is there. */
    void book(List<ScheduledPods> pods) {
        ScheduleResponse unused = schedule(pods);
    }

    /** Takes the room of pods if all of them fit, one after another. */
    Result check(List<ScheduledPods> pods) {
        session.fork();
        Result result;
        try {
            result = result(pods, schedule(pods));
        } catch (PlacementException e) {
            if (e.reason() != ErrorReason.ERROR_REASON_LIMIT_EXCEEDED) {
                throw e;
            }
            result = new Result(Outcome.INVALID, e.description());
        }
        if (result.outcome() == Outcome.FOUND) {
            session.commit();
        } else {
            session.revert();
        }
        return result;
    }

    private ScheduleResponse schedule(List<ScheduledPods> pods) {
        return client.schedule(ScheduleRequest.newBuilder()
                .setSession(session.id())
                .addAllPods(pods)
                .build());
    }

    private static Result result(List<ScheduledPods> pods, ScheduleResponse schedule) {
        int unjudged = 0;
        for (int i = 0; i < pods.size(); i++) {
            ScheduledItem item = schedule.getItems(i);
            int count = pods.get(i).getCount();
            String name = pods.get(i).getPod().getMetadata().getName();
            if (item.hasError()) {
                return new Result(Outcome.INVALID, name + ": " + item.getError().getMessage());
            }
            if (item.getPlacedCount() < count) {
                return new Result(
                        Outcome.NOT_FOUND,
                        item.getPlacedCount() + " of " + count + " pods of " + name + " fit: " + item.getSummary());
            }
            unjudged |=
                    item.getUnjudgedList().stream().mapToInt(UnjudgedRules::bit).reduce(0, (all, bit) -> all | bit);
        }
        String rules = String.join(", ", UnjudgedRules.names(unjudged));
        return new Result(Outcome.FOUND, rules.isEmpty() ? "" : "not judged: " + rules);
    }

    @Override
    public void close() {
        session.close();
    }
}

package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.SyncResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Replays scenarios on a server, replacing its cluster. Each scenario begins with a snapshot of the objects that its
 * first events add. The snapshot also removes the objects of the previous scenario. Later events are sent as changes.
 */
final class ScenarioPlayer implements AutoCloseable {
    private static final int OBJECTS_IN_MESSAGE = 500;

    private final PlacementClient client;
    private final ClusterFeed feed;
    private final Judge judge;
    private final Consumer<String> output;

    /**
     * @param client a client that reads its own writes
     * @param judge gets answers from the same server
     * @param output receives a line for each difference and each rejected object
     */
    ScenarioPlayer(PlacementClient client, Judge judge, Consumer<String> output) {
        this.client = client;
        this.judge = judge;
        this.output = output;
        feed = client.feed();
    }

    /** @throws PlacementException if the server cannot be reached, or denies this client to replace its cluster */
    Outcome play(Scenario scenario) {
        List<Scenario.Step> steps = scenario.steps();
        Comparison comparison = new Comparison(output);
        int inSnapshot = 0;
        comparison.at(scenario.name(), 0);
        acknowledge(feed.beginSnapshot(), 0, comparison);
        if (!steps.isEmpty() && steps.get(0) instanceof Scenario.Apply apply) {
            List<ClusterObject> objects = addedFirst(apply.events());
            send(objects, 0, feed::objects, comparison);
            inSnapshot = objects.size();
        }
        acknowledge(feed.endSnapshot(), 0, comparison);

        for (int i = 0; i < steps.size(); i++) {
            comparison.at(scenario.name(), i);
            if (steps.get(i) instanceof Scenario.Apply apply) {
                int sent = i == 0 ? inSnapshot : 0;
                send(apply.events().subList(sent, apply.events().size()), sent, feed::events, comparison);
            } else if (steps.get(i) instanceof Scenario.Query query) {
                comparison.compare(query, () -> judge.judge(query, scenario.defaults()));
            } else if (steps.get(i) instanceof Scenario.Alternative alternative) {
                comparison.compare(alternative, () -> client.whatIf(alternative.request(scenario.defaults())));
            }
        }
        return comparison.outcome();
    }

    @Override
    public void close() {
        feed.close();
    }

    /** The objects of the events before the first that is not ADDED. */
    private static List<ClusterObject> addedFirst(List<ClusterEvent> events) {
        List<ClusterObject> objects = new ArrayList<>();
        for (ClusterEvent event : events) {
            if (event.getType() != ClusterEvent.Type.TYPE_ADDED) {
                break;
            }
            objects.add(event.getObject());
        }
        return objects;
    }

    private static <T> void send(
            List<T> all,
            int firstPosition,
            Function<List<T>, CompletableFuture<SyncResponse>> message,
            Comparison comparison) {
        for (int start = 0; start < all.size(); start += OBJECTS_IN_MESSAGE) {
            List<T> part = all.subList(start, Math.min(all.size(), start + OBJECTS_IN_MESSAGE));
            acknowledge(message.apply(part), firstPosition + start, comparison);
        }
    }

    private static void acknowledge(CompletableFuture<SyncResponse> sent, int firstPosition, Comparison comparison) {
        try {
            comparison.refused(sent.join().getRefusalsList(), firstPosition);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof PlacementException problem) {
                throw problem;
            }
            throw failed;
        }
    }
}

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
import java.util.function.IntFunction;

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

    /**
     * Replays a scenario.
     *
     * @throws CorpusFormatException if an operation removes an object that the cluster does not have
     * @throws PlacementException if the server cannot be reached, or denies this client to replace its cluster
     */
    Outcome play(Scenario scenario) throws CorpusFormatException {
        List<Scenario.Step> steps = scenario.steps();
        Comparison comparison = new Comparison(output);
        KnownObjects known = new KnownObjects();
        int inSnapshot = 0;
        comparison.at(scenario.name(), 0);
        acknowledge(feed.beginSnapshot(), position -> "", comparison);
        if (!steps.isEmpty() && steps.get(0) instanceof Scenario.Apply apply) {
            List<ClusterObject> objects = addedFirst(apply.events());
            send(objects, 0, feed::objects, comparison);
            inSnapshot = objects.size();
        }
        acknowledge(feed.endSnapshot(), position -> "", comparison);

        for (int i = 0; i < steps.size(); i++) {
            comparison.at(scenario.name(), i);
            if (steps.get(i) instanceof Scenario.Apply apply) {
                int sent = i == 0 ? inSnapshot : 0;
                send(apply.events().subList(sent, apply.events().size()), sent, feed::events, comparison);
                known.apply(apply.events());
            } else if (steps.get(i) instanceof Scenario.Query query) {
                comparison.compare(query, () -> judge.judge(query, scenario.defaults()));
            } else if (steps.get(i) instanceof Scenario.Alternative alternative) {
                comparison.compare(alternative, () -> client.whatIf(alternative.request(scenario.defaults())));
            } else if (steps.get(i) instanceof Scenario.Whole whole) {
                comparison.compare(whole, known.nodeNames(), () -> judge.fit(whole.pod()));
            } else if (steps.get(i) instanceof Scenario.Operations operations) {
                for (int j = 0; j < operations.operations().size(); j++) {
                    comparison.at(scenario.name(), i, j);
                    play(operations.operations().get(j), known, comparison);
                }
            }
        }
        return comparison.outcome();
    }

    /** Puts a pod on the node that is expected, so that later answers are comparable even if this one differs. */
    private void play(Scenario.Operation operation, KnownObjects known, Comparison comparison)
            throws CorpusFormatException {
        if (operation instanceof Scenario.Place place) {
            comparison.compare(place, () -> judge.fit(place.pod()));
        }
        List<ClusterEvent> events = known.events(operation, comparison.place());
        if (!events.isEmpty()) {
            acknowledge(feed.events(events), position -> "", comparison);
            known.apply(events);
        }
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
            int first = firstPosition + start;
            acknowledge(message.apply(part), position -> ".apply[" + (first + position) + "]", comparison);
        }
    }

    private static void acknowledge(
            CompletableFuture<SyncResponse> sent, IntFunction<String> part, Comparison comparison) {
        try {
            comparison.refused(sent.join().getRefusalsList(), part);
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof PlacementException problem) {
                throw problem;
            }
            throw failed;
        }
    }
}

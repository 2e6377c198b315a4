package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.PlacementQueries;
import io.evenkeel.client.Session;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.OperationResult;
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
 * Operations are made in a session, which the later steps ask.
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
     * @throws CorpusFormatException if an operation is rejected, or events follow operations
     * @throws PlacementException if the server cannot be reached, or denies this client to replace its cluster
     */
    Outcome play(Scenario scenario) throws CorpusFormatException {
        List<Scenario.Step> steps = scenario.steps();
        Comparison comparison = new Comparison(output);
        int inSnapshot = 0;
        comparison.at(scenario.name(), 0);
        acknowledge(feed.beginSnapshot(), position -> "", comparison);
        if (!steps.isEmpty() && steps.get(0) instanceof Scenario.Apply apply) {
            List<ClusterObject> objects = addedFirst(apply.events());
            send(objects, 0, feed::objects, comparison);
            inSnapshot = objects.size();
        }
        acknowledge(feed.endSnapshot(), position -> "", comparison);

        KnownNodes known = new KnownNodes();
        int next = 0;
        for (; next < steps.size() && !(steps.get(next) instanceof Scenario.Operations); next++) {
            comparison.at(scenario.name(), next);
            if (steps.get(next) instanceof Scenario.Apply apply) {
                int sent = next == 0 ? inSnapshot : 0;
                send(apply.events().subList(sent, apply.events().size()), sent, feed::events, comparison);
                known.apply(apply.events());
            } else {
                ask(client, steps.get(next), scenario, known, comparison);
            }
        }
        if (next < steps.size()) {
            try (Session session = client.openSession()) {
                for (; next < steps.size(); next++) {
                    comparison.at(scenario.name(), next);
                    if (steps.get(next) instanceof Scenario.Apply) {
                        throw new CorpusFormatException(comparison.place() + ": apply must not follow ops");
                    } else if (steps.get(next) instanceof Scenario.Operations operations) {
                        for (int j = 0; j < operations.operations().size(); j++) {
                            comparison.at(scenario.name(), next, j);
                            play(operations.operations().get(j), session, known, comparison);
                        }
                    } else {
                        ask(session, steps.get(next), scenario, known, comparison);
                    }
                }
            }
        }
        return comparison.outcome();
    }

    private void ask(
            PlacementQueries asked, Scenario.Step step, Scenario scenario, KnownNodes known, Comparison comparison) {
        if (step instanceof Scenario.Query query) {
            comparison.compare(query, () -> judge.judge(asked, query, scenario.defaults()));
        } else if (step instanceof Scenario.Alternative alternative) {
            comparison.compare(alternative, () -> asked.whatIf(alternative.request(scenario.defaults())));
        } else if (step instanceof Scenario.Whole whole) {
            comparison.compare(whole, known.names(), () -> judge.fit(asked, whole.pod()));
        }
    }

    /** Puts a pod on the node that is expected, so that later answers are comparable even if this one differs. */
    private void play(Scenario.Operation operation, Session session, KnownNodes known, Comparison comparison)
            throws CorpusFormatException {
        Scenario.Place place = operation.place();
        if (place != null) {
            comparison.compare(place, () -> judge.fit(session, place.pod()));
            if (place.node().isEmpty()) {
                return;
            }
        }
        try {
            OperationResult result = session.change(List.of(operation.change())).getResults(0);
            if (result.hasError()) {
                throw PlacementException.of(result.getError());
            }
        } catch (PlacementException rejected) {
            if (rejected.code() == ErrorCode.UNAVAILABLE) {
                throw rejected;
            }
            throw new CorpusFormatException(comparison.place() + ": " + rejected.getMessage());
        }
        known.apply(operation.change());
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

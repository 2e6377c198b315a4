package io.evenkeel.loadtest.demo;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.Query;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import io.evenkeel.loadtest.text.Timing;
import io.evenkeel.v1.ConstraintExplanation;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.PodAnswer;
import java.util.List;
import java.util.stream.Collectors;

/** Section 5 of the demo: asks about small clusters whose answers are known. */
final class WorldSection {
    private static final int CALLS = 20;

    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    /** @param client a client of a server whose cluster may be replaced */
    WorldSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client.readingOwnWrites();
    }

    void show() {
        screen.heading("5. Known cases: current pods by zone, another one to place, maxSkew 1");
        Table table = new Table("now", "may go to", "skew if placed: pods + self - minimum", "Evaluate>");
        for (KnownWorld world : KnownWorlds.all()) {
            try (ClusterFeed feed = client.feed()) {
                feed.snapshot(world.objects().iterator());
            }
            Query query = Query.of(world.incoming()).among(CandidateNodes.enterable());
            Timing<PodAnswer> timing =
                    Timing.of(CALLS, () -> client.evaluate(query.toEvaluate()).getAnswers(0));
            String mayGoTo = order(timing.answer());
            claims.equal("\"" + world.now() + "\": nodes that may take the pod", world.mayGoTo(), mayGoTo);
            table.row(world.now(), mayGoTo, skews(world), Numbers.millis(timing.medianNanos()));
        }
        screen.table(table);
        screen.paragraph(
                "Honor and Ignore are the policies for nodes that the pod cannot use: do they count? By default, affinity is honoured and taints are ignored. A = B: equal scores; B > A: B has the higher score.");
    }

    /** The nodes that passed, best first. */
    private static String order(PodAnswer answer) {
        if (answer.hasError()) {
            throw PlacementException.of(answer.getError());
        }
        boolean scored = answer.getReadable().getSoftConstraintCount() > 0;
        StringBuilder order = new StringBuilder();
        long lastScore = 0;
        for (NodeScore node : answer.getReadable().getBestList()) {
            if (order.length() > 0) {
                order.append(!scored ? ", " : node.getScore() == lastScore ? " = " : " > ");
            }
            order.append(node.getName());
            lastScore = node.getScore();
        }
        return order.length() == 0 ? "none" : order.toString();
    }

    private String skews(KnownWorld world) {
        List<ConstraintExplanation> constraints = client.explain(
                        ExplainRequest.newBuilder().setPod(world.incoming()).build())
                .getConstraintsList();
        return constraints.stream()
                .map(constraint -> skews(constraint, constraints.size() == 1))
                .collect(Collectors.joining("; "));
    }

    private static String skews(ConstraintExplanation constraint, boolean inFull) {
        return Explanations.sorted(constraint).stream()
                .filter(DomainExplanation::getEligible)
                .map(domain -> domain.getValue() + " "
                        + (inFull
                                ? domain.getMatchingPodCount() + "+" + (constraint.getSelfMatch() ? 1 : 0) + "-"
                                        + constraint.getGlobalMinimum() + "="
                                : "")
                        + domain.getResultingSkew())
                .collect(Collectors.joining("  "));
    }
}

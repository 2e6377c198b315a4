package io.evenkeel.commands;

import io.evenkeel.cli.Paragraphs;
import io.evenkeel.cli.TextTable;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.Session;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.EndState;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.NewNodes;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.Objective;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.UnplacedPods;
import java.util.ArrayList;
import java.util.List;

/**
 * An estimate with the state that it leads to.
 *
 * @param spreads for each kind of pods, how it is spread once all steps are made
 */
record EstimateReport(
        EstimateNodesRequest request,
        List<PodKinds.Kind> kinds,
        EstimateNodesResponse response,
        List<SpreadChange> spreads) {
    private static final int MAX_SPREADS = 5;

    /** A call may have 16,384 constraints, and a pod 64. */
    private static final int STEPS = 256;

    /** Asks for the estimate, and carries it out in a session. */
    static EstimateReport of(PlacementClient client, EstimateNodesRequest.Builder groups, List<PodKinds.Kind> kinds) {
        try (Session session = client.openSession()) {
            EstimateNodesRequest.Builder request = groups.clone().setSession(session.id());
            kinds.forEach(kind ->
                    request.addPods(PendingPods.newBuilder().setPod(kind.pod()).setCount(kind.count())));
            EstimateNodesResponse response = client.estimateNodes(request.build());
            List<PodKinds.Kind> shown = kinds.subList(0, Math.min(MAX_SPREADS, kinds.size()));
            List<ExplainResponse> before = shown.stream()
                    .map(kind -> SpreadChange.in(session, kind.pod(), 1))
                    .toList();
            carryOut(client, session, request.build(), response);
            List<SpreadChange> spreads = new ArrayList<>();
            for (int i = 0; i < shown.size(); i++) {
                spreads.add(new SpreadChange(
                        before.get(i), SpreadChange.in(session, shown.get(i).pod(), 1)));
            }
            return new EstimateReport(
                    request.build(), kinds, response.toBuilder().clearRevision().build(), spreads);
        }
    }

    private static void carryOut(
            PlacementClient client, Session session, EstimateNodesRequest request, EstimateNodesResponse response) {
        for (NewNodes added : response.getNewNodesList()) {
            for (NodeGroup group : request.getGroupsList()) {
                if (group.getName().equals(added.getGroup())) {
                    session.addNodes(AddNodes.newBuilder()
                            .setTemplate(group.getTemplate())
                            .addAllNames(added.getNamesList())
                            .addAllPods(group.getDaemonPodsList())
                            .build());
                }
            }
        }
        List<PodStep> steps = response.getStepsList();
        for (int from = 0; from < steps.size(); from += STEPS) {
            ScheduleRequest.Builder some = ScheduleRequest.newBuilder().setSession(session.id());
            for (PodStep step : steps.subList(from, Math.min(steps.size(), from + STEPS))) {
                some.addPods(ScheduledPods.newBuilder()
                        .setPod(request.getPods(step.getPods()).getPod())
                        .setNode(step.getNode()));
            }
            client.schedule(some.build());
        }
    }

    String text(int maxRows) {
        StringBuilder text = new StringBuilder();
        int wanted = kinds.stream().mapToInt(PodKinds.Kind::count).sum();
        int placed = response.getStepsCount();
        int added = response.getNewNodesList().stream()
                .mapToInt(NewNodes::getNamesCount)
                .sum();
        text.append(placed + " of " + wanted + " pending pods are placed with " + nodes(added)
                + (isPriced() ? ", at a cost of " + response.getPrice() : "") + ".\n");
        Paragraphs.append(text, 0, quality(placed == wanted));
        if (response.hasEndState()) {
            Paragraphs.append(text, 0, better(response.getEndState(), wanted));
        }
        UnplacedCauses.appendUnjudged(text, 0, response.getUnjudgedList());
        appendNodes(text, maxRows);
        appendUnplaced(text, "Pods that stay pending", response.getUnplacedList());
        appendUnplaced(
                text, "Pods that would stay pending without new nodes", response.getUnplacedWithoutNewNodesList());
        for (int i = 0; i < spreads.size(); i++) {
            text.append("\nSpread of "
                    + Paragraphs.printable(kinds.get(i).workload().toString()) + " afterwards\n");
            spreads.get(i).appendTo(text, maxRows);
        }
        return text.toString();
    }

    private void appendUnplaced(StringBuilder text, String title, List<UnplacedPods> unplaced) {
        if (!unplaced.isEmpty()) {
            text.append("\n" + title + "\n");
            TextTable table = new TextTable(2).left("WORKLOAD").right("PODS").left("CAUSE");
            unplaced.forEach(pods -> table.row(
                    kinds.get(pods.getPods()).workload().toString(), pods.getCount(), UnplacedCauses.of(pods)));
            table.appendTo(text);
        }
    }

    private boolean isPriced() {
        return request.getObjective() == Objective.OBJECTIVE_LEAST_COST;
    }

    private static String nodes(int count) {
        return count == 0 ? "no new node" : count + (count == 1 ? " new node" : " new nodes");
    }

    private String quality(boolean allPlaced) {
        if (response.getOptimal()) {
            return "Optimal: no order of placing pods one by one places more of them, or as many "
                    + (isPriced() ? "for less." : "with fewer nodes.");
        }
        if (response.getPriceBound() == 0) {
            String cheaper = isPriced() ? "cost less." : "need fewer nodes.";
            return "Not proven to be optimal: another plan may " + (allPlaced ? cheaper : "place more pods.");
        }
        return "Not proven to be optimal: all pods for which there is room need at least "
                + (isPriced()
                        ? "a cost of " + response.getPriceBound() + "."
                        : nodes((int) response.getPriceBound()) + ".");
    }

    /** The end state that is better than any known order. */
    private String better(EndState state, int wanted) {
        int nodes = state.getNewNodeCountsList().stream()
                .mapToInt(Integer::intValue)
                .sum();
        return "Placed all at once, " + (state.getPlacedCount() == wanted ? "all " : "")
                + state.getPlacedCount() + " pods satisfy every constraint with " + nodes(nodes)
                + (isPriced() ? ", at a cost of " + state.getPrice() : "")
                + ", but no order of placing them one by one "
                + (response.getOptimal() ? "leads there." : "is known that leads there.");
    }

    private void appendNodes(StringBuilder text, int maxRows) {
        NodeCounts pods = new NodeCounts();
        response.getStepsList().forEach(step -> pods.add(step.getNode()));
        TextTable groups = new TextTable(2).left("GROUP").right("NEW NODES").right("PODS");
        int onNew = 0;
        for (NewNodes added : response.getNewNodesList()) {
            int on = added.getNamesList().stream().mapToInt(pods::of).sum();
            onNew += on;
            groups.row(added.getGroup(), added.getNamesCount(), on);
        }
        groups.row("(existing nodes)", "", response.getStepsCount() - onNew);
        text.append("\nNew nodes\n");
        groups.appendTo(text);
        if (response.getStepsCount() > 0) {
            text.append("\nNodes of the pods\n");
            pods.appendTo(text, maxRows);
        }
    }
}

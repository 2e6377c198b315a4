package io.evenkeel.placement;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.estimate.Estimator;
import io.evenkeel.engine.estimate.NodeEstimate;
import io.evenkeel.engine.estimate.Plan;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.pending.PendingProblem;
import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.EndState;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.NewNodes;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.UnplacedPods;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers EstimateNodes: how many new nodes pending pods need. Thread-safe. */
public final class EstimateNodesHandler extends MessageHandler<EstimateNodesRequest, EstimateNodesResponse> {
    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    EstimateNodesHandler(QueryServices services, SessionLookup<EstimateNodesHandler> sessions) {
        super(
                services.access(),
                EstimateNodesRequest.parser(),
                EstimateNodesRequest::getFreshness,
                EstimateNodesRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<EstimateNodesResponse> prepare(EstimateNodesRequest message) {
        return new Work(message);
    }

    /** The estimate for one request. Not thread-safe. */
    private final class Work implements Prepared<EstimateNodesResponse> {
        private final EstimateNodesRequest request;
        private final List<GroupTemplate> groups;
        private final @Nullable SpreadDefaults ownDefaults;

        Work(EstimateNodesRequest request) {
            this.request = request;
            PendingCluster.admit(request.getPodsList(), services.limits());
            groups = GroupTemplate.of(request.getGroupsList(), request.getObjective(), services.limits());
            ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
        }

        @Override
        public EstimateNodesResponse answer(StopSignal stop) {
            try (PendingCluster cluster = new PendingCluster(services, request.getPodsList(), ownDefaults, stop)) {
                PendingProblem problem = cluster.problem(groups, List.of(), request.getTemplateDomainsCount());
                NodeEstimate estimate = Estimator.estimate(problem.problem(), stop);
                return answer(cluster, problem, estimate);
            }
        }

        private EstimateNodesResponse answer(PendingCluster cluster, PendingProblem problem, NodeEstimate estimate) {
            EstimateNodesResponse.Builder response = EstimateNodesResponse.newBuilder()
                    .setRevision(services.access().revision(cluster.revision()));
            if (estimate.endState() != estimate.plan()) {
                cluster.fork();
                List<String> names = addNodes(cluster, problem, estimate.endState(), new ArrayList<>());
                if (cluster.reaches(estimate.endState(), names, new ArrayList<>())) {
                    response.setEndState(message(estimate.endState()));
                }
                cluster.revert();
            }
            List<NewNodes> added = new ArrayList<>();
            List<String> names = addNodes(cluster, problem, estimate.plan(), added);
            List<PodStep> steps = new ArrayList<>();
            int corrected = cluster.follow(estimate.plan(), names, NodeSubset.ALL, steps);
            List<String> newNames = names.subList(problem.nodes().size(), names.size());
            List<UnplacedPods> unplaced = new ArrayList<>();
            estimate.unplaced().forEach(why -> unplaced.add(cluster.message(why, problem, newNames)));
            addLost(estimate.plan(), steps, unplaced);
            estimate.withoutNewNodes()
                    .forEach(why -> response.addUnplacedWithoutNewNodes(cluster.message(why, problem, List.of())));
            boolean isExact = corrected == 0 && !cluster.countsDaemonPods(groups);
            return response.addAllNewNodes(added)
                    .addAllSteps(steps)
                    .addAllUnplaced(unplaced)
                    .setPrice(estimate.plan().price())
                    .setPriceBound(isExact ? estimate.priceBound() : 0)
                    .setOptimal(estimate.isOptimal() && isExact)
                    .setCorrectedStepCount(corrected)
                    .addAllUnjudged(cluster.unjudged())
                    .build();
        }

        /** Adds the new nodes of a plan; returns the names of all nodes by number. */
        private List<String> addNodes(PendingCluster cluster, PendingProblem problem, Plan plan, List<NewNodes> added) {
            List<String> names = new ArrayList<>(problem.nodes());
            int[] counts = plan.newNodes();
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > 0) {
                    List<String> own = cluster.addNodes(groups.get(i), counts[i]);
                    names.addAll(own);
                    added.add(NewNodes.newBuilder()
                            .setGroup(groups.get(i).group().getName())
                            .addAllNames(own)
                            .build());
                }
            }
            return names;
        }

        /** Adds the pods that a plan places, but that found no place. */
        private void addLost(Plan plan, List<PodStep> steps, List<UnplacedPods> unplaced) {
            int[] lost = new int[request.getPodsCount()];
            for (int step = 0; step < plan.placed(); step++) {
                lost[plan.shape(step)]++;
            }
            steps.forEach(step -> lost[step.getPods()]--);
            for (int pods = 0; pods < lost.length; pods++) {
                if (lost[pods] > 0) {
                    unplaced.add(UnplacedPods.newBuilder()
                            .setPods(pods)
                            .setCount(lost[pods])
                            .build());
                }
            }
        }

        private static EndState message(Plan plan) {
            return EndState.newBuilder()
                    .addAllNewNodeCounts(Arrays.stream(plan.newNodes()).boxed().toList())
                    .setPrice(plan.price())
                    .setPlacedCount(plan.placed())
                    .build();
        }
    }
}

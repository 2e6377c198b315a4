package io.evenkeel.placement;

import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.estimate.GroupPlacement;
import io.evenkeel.engine.estimate.GroupPlacer;
import io.evenkeel.engine.estimate.Plan;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.pending.PendingProblem;
import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.CandidateBits;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.Existence;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PlaceGroupResponse;
import io.evenkeel.v1.PodStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers PlaceGroup: places for all pods of a group on existing nodes. Thread-safe. */
public final class PlaceGroupHandler extends MessageHandler<PlaceGroupRequest, PlaceGroupResponse> {
    /** Each set is searched on its own. */
    private static final int MAX_SETS = 64;

    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    PlaceGroupHandler(QueryServices services, SessionLookup<PlaceGroupHandler> sessions) {
        super(
                services.access(),
                PlaceGroupRequest.parser(),
                PlaceGroupRequest::getFreshness,
                PlaceGroupRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<PlaceGroupResponse> prepare(PlaceGroupRequest message) {
        return new Work(message);
    }

    /** The placement for one request. Not thread-safe. */
    private final class Work implements Prepared<PlaceGroupResponse> {
        private final PlaceGroupRequest request;
        private final List<NodeSubset> sets = new ArrayList<>();
        private final @Nullable SpreadDefaults ownDefaults;

        Work(PlaceGroupRequest request) {
            this.request = request;
            PendingCluster.admit(request.getPodsList(), services.limits());
            Limits.admit(request.getNodeSetsCount(), MAX_SETS, "nodeSets");
            for (int i = 0; i < request.getNodeSetsCount(); i++) {
                sets.add(set(request.getNodeSets(i), "nodeSets[" + i + "]"));
            }
            if (sets.isEmpty()) {
                sets.add(NodeSubset.ALL);
            }
            ownDefaults = services.reader().ownDefaults(request.getDefaults(), "defaults");
        }

        private NodeSubset set(Candidates message, String field) {
            switch (message.getWhichCase()) {
                case NAMED, NODE_SET_ID, BITS -> {
                    if (RequestReader.rules(message, field) != EntryRules.NONE) {
                        throw RequestException.invalid(field + ".rules", "must be unset, because all rules apply");
                    }
                }
                case ALL, ENTERABLE, FITTING, WHICH_NOT_SET ->
                    throw RequestException.invalid(field, "must have named, nodeSetId or bits");
            }
            return services.reader().candidates(message, field);
        }

        @Override
        public PlaceGroupResponse answer(StopSignal stop) {
            try (PendingCluster cluster = new PendingCluster(services, request.getPodsList(), ownDefaults, stop)) {
                PendingProblem problem = cluster.problem(List.of(), sets, false);
                GroupPlacement placement = GroupPlacer.place(problem.problem(), problem.sets(), stop);
                return answer(cluster, problem, placement);
            } catch (InvalidSlotsException e) {
                throw CandidateBits.refusal(e, "nodeSets");
            }
        }

        private PlaceGroupResponse answer(PendingCluster cluster, PendingProblem problem, GroupPlacement found) {
            PlaceGroupResponse.Builder response = PlaceGroupResponse.newBuilder()
                    .setRevision(services.access().revision(cluster.revision()))
                    .setOrder(existence(found.isOrderExcluded()))
                    .setEndState(existence(found.isEndStateExcluded()))
                    .addAllUnjudged(cluster.unjudged());
            List<PodStep> steps = new ArrayList<>();
            Plan order = found.order();
            Plan endState = found.endState();
            if (order != null) {
                cluster.follow(order, problem.nodes(), sets.get(found.set()), steps);
                if (steps.size() == order.placed()) {
                    response.setOrder(Existence.EXISTENCE_FOUND).setEndState(Existence.EXISTENCE_FOUND);
                }
            } else if (endState != null && cluster.reaches(endState, problem.nodes(), steps)) {
                response.setEndState(Existence.EXISTENCE_FOUND);
            }
            if (response.getEndState() == Existence.EXISTENCE_FOUND) {
                response.setNodeSet(found.set()).addAllSteps(steps);
            }
            found.unplaced().forEach(why -> response.addUnplaced(cluster.message(why, problem, List.of())));
            return response.build();
        }

        private static Existence existence(boolean isExcluded) {
            return isExcluded ? Existence.EXISTENCE_EXCLUDED : Existence.EXISTENCE_UNSPECIFIED;
        }
    }
}

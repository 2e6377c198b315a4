package io.evenkeel.placement;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.placement.answer.EvaluateHandler;
import io.evenkeel.placement.answer.EvaluateStreamHandler;
import io.evenkeel.placement.answer.PreemptHandler;
import io.evenkeel.placement.answer.WatchUnblockedHandler;
import io.evenkeel.placement.answer.WhatIfHandler;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.explain.ExplainHandler;
import io.evenkeel.placement.explain.ListSpreadHandler;
import io.evenkeel.placement.explain.PodWarnings;
import io.evenkeel.placement.explain.RankVictimsHandler;
import io.evenkeel.placement.query.NodeSets;
import io.evenkeel.placement.query.PodPlans;
import io.evenkeel.placement.query.PodQuery;
import io.evenkeel.placement.query.QueryReader;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.placement.query.RequestReader;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetNodeSetResponse;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.RegisterNodeSetResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;

/**
 * Answers the calls of the {@code Placement} service, which decide on the placement of pods: queries by the handler of
 * each method, and the registration of node sets by itself. Each session has a separate one. Thread-safe.
 */
public final class PlacementHandler {
    private final EngineAccess access;
    private final NodeSets nodeSets;
    private final PodPlans plans;
    private final RequestReader reader;
    private final EvaluateHandler filter;
    private final EvaluateHandler score;
    private final EvaluateHandler evaluate;
    private final EvaluateStreamHandler evaluateStream;
    private final WhatIfHandler whatIf;
    private final PreemptHandler preempt;
    private final WatchUnblockedHandler watchUnblocked;
    private final ExplainHandler explain;
    private final ListSpreadHandler listSpread;
    private final RankVictimsHandler rankVictims;
    private final PodWarnings warnings;
    private final EstimateNodesHandler estimateNodes;
    private final PlaceGroupHandler placeGroup;
    private final SimulateRemovalHandler simulateRemoval;
    private final RebalanceHandler rebalance;
    private final LongAdder podsJudged;

    /**
     * @param podsJudged counts the evaluated pods
     * @param timer expires messages of streams
     * @param sessions finds the handler of a session
     */
    PlacementHandler(
            EngineAccess access,
            NodeSets nodeSets,
            RequestReader reader,
            PodPlans plans,
            Limits limits,
            LongAdder podsJudged,
            ScheduledExecutorService timer,
            SessionLookup<PlacementHandler> sessions) {
        this.access = access;
        this.nodeSets = nodeSets;
        this.plans = plans;
        this.podsJudged = podsJudged;
        this.reader = reader;
        QueryServices services = new QueryServices(
                access,
                reader,
                plans,
                // About as many as threads answer concurrently.
                new ArrayBlockingQueue<>(2 * Runtime.getRuntime().availableProcessors()),
                podsJudged,
                limits);
        QueryReader queries = new QueryReader(plans, limits.pod().entries());
        filter = new EvaluateHandler(
                services, queries, PodQuery.Kind.FILTER, (id, who) -> sessions.find(id, who).filter);
        score = new EvaluateHandler(services, queries, PodQuery.Kind.SCORE, (id, who) -> sessions.find(id, who).score);
        evaluate = new EvaluateHandler(
                services, queries, PodQuery.Kind.EVALUATE, (id, who) -> sessions.find(id, who).evaluate);
        evaluateStream = new EvaluateStreamHandler(
                access, evaluate, queries, timer, (id, who) -> sessions.find(id, who).evaluateStream);
        whatIf = new WhatIfHandler(services, (id, who) -> sessions.find(id, who).whatIf);
        preempt = new PreemptHandler(services, (id, who) -> sessions.find(id, who).preempt);
        watchUnblocked = new WatchUnblockedHandler(services);
        explain = new ExplainHandler(services, (id, who) -> sessions.find(id, who).explain);
        listSpread = new ListSpreadHandler(services, (id, who) -> sessions.find(id, who).listSpread);
        rankVictims = new RankVictimsHandler(services, (id, who) -> sessions.find(id, who).rankVictims);
        warnings = new PodWarnings(services);
        estimateNodes = new EstimateNodesHandler(services, (id, who) -> sessions.find(id, who).estimateNodes);
        placeGroup = new PlaceGroupHandler(services, (id, who) -> sessions.find(id, who).placeGroup);
        simulateRemoval = new SimulateRemovalHandler(services, (id, who) -> sessions.find(id, who).simulateRemoval);
        rebalance = new RebalanceHandler(services, (id, who) -> sessions.find(id, who).rebalance);
    }

    /** Filter. The answer is the bytes of a FilterResponse. */
    public EvaluateHandler filter() {
        return filter;
    }

    /** Score. The answer is the bytes of a ScoreResponse. */
    public EvaluateHandler score() {
        return score;
    }

    /** Evaluate. The answer is the bytes of an EvaluateResponse. */
    public EvaluateHandler evaluate() {
        return evaluate;
    }

    /** EvaluateStream. The answers are the bytes of EvaluateStreamResponses. */
    public EvaluateStreamHandler evaluateStream() {
        return evaluateStream;
    }

    /** WhatIf. The answer is the bytes of a WhatIfResponse. */
    public WhatIfHandler whatIf() {
        return whatIf;
    }

    public PreemptHandler preempt() {
        return preempt;
    }

    public WatchUnblockedHandler watchUnblocked() {
        return watchUnblocked;
    }

    public ExplainHandler explain() {
        return explain;
    }

    public ListSpreadHandler listSpread() {
        return listSpread;
    }

    public RankVictimsHandler rankVictims() {
        return rankVictims;
    }

    /** Finds mistakes in pods that do not exist yet; not a call. */
    public PodWarnings warnings() {
        return warnings;
    }

    /** EstimateNodes, of the {@code Simulation} service. */
    public EstimateNodesHandler estimateNodes() {
        return estimateNodes;
    }

    /** PlaceGroup, of the {@code Simulation} service. */
    public PlaceGroupHandler placeGroup() {
        return placeGroup;
    }

    /** SimulateRemoval, of the {@code Simulation} service. */
    public SimulateRemovalHandler simulateRemoval() {
        return simulateRemoval;
    }

    /** Rebalance, of the {@code Simulation} service. */
    public RebalanceHandler rebalance() {
        return rebalance;
    }

    public RegisterNodeSetResponse registerNodeSet(RegisterNodeSetRequest request) {
        reader.checkNames(request.getNamesList(), "names");
        checkLengths(request.getNamesList());
        RegisterNodeSetResponse.Builder response =
                RegisterNodeSetResponse.newBuilder().setNodeSetId(nodeSets.register(request.getNamesList(), "names"));
        NodeNameTable names = access.engine().nodeNames();
        Set<String> known = new HashSet<>();
        for (int index = 0; index < names.limit(); index++) {
            String name = names.name(index);
            if (name != null) {
                known.add(name);
            }
        }
        request.getNamesList().stream()
                .distinct()
                .filter(name -> !known.contains(name))
                .forEach(response::addUnknownNames);
        return response.build();
    }

    /** Rejects names that no node can have, because sets are stored. */
    private static void checkLengths(List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            String wrong = NodeNames.wrong(names.get(i));
            if (wrong != null) {
                throw RequestException.invalid("names[" + i + "]", wrong);
            }
        }
    }

    public ForgetNodeSetResponse forgetNodeSet(ForgetNodeSetRequest request) {
        nodeSets.forget(request.getNodeSetId());
        return ForgetNodeSetResponse.getDefaultInstance();
    }

    /** The number of pods evaluated so far. */
    public long podsJudged() {
        return podsJudged.sum();
    }

    /** Finds the plans of pods. */
    PodPlans plans() {
        return plans;
    }

    /** The number of plans compiled so far because a request needed one that was not cached. */
    public long planMisses() {
        return plans.misses();
    }

    /** The number of pods parsed so far because no equivalent pod was cached. */
    public long podsParsed() {
        return plans.parsed();
    }
}

package io.evenkeel.placement;

import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;

/** Answers Rebalance: the fewest moves that bring the constraints of workloads within maxSkew. Thread-safe. */
public final class RebalanceHandler extends MessageHandler<RebalanceRequest, RebalanceResponse> {
    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    RebalanceHandler(QueryServices services, SessionLookup<RebalanceHandler> sessions) {
        super(
                services.access(),
                RebalanceRequest.parser(),
                RebalanceRequest::getFreshness,
                RebalanceRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<RebalanceResponse> prepare(RebalanceRequest request) {
        services.reader().checkNames(request.getNamespacesList(), "namespaces");
        services.reader().checkWorkloads(request.getWorkloadsList(), "workloads");
        return stop -> {
            services.access().requireBudgetsWithin(request.getFreshness());
            try (RebalanceCall call = new RebalanceCall(services, request, stop)) {
                return call.run();
            }
        };
    }
}

package io.evenkeel.placement;

import io.evenkeel.placement.answer.MessageHandler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.query.QueryServices;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import java.util.HashSet;
import java.util.Set;

/** Answers SimulateRemoval: which nodes can be removed, and to which nodes their pods would go. Thread-safe. */
public final class SimulateRemovalHandler extends MessageHandler<SimulateRemovalRequest, SimulateRemovalResponse> {
    private final QueryServices services;

    /** @param sessions finds the handler of the same method in a session */
    SimulateRemovalHandler(QueryServices services, SessionLookup<SimulateRemovalHandler> sessions) {
        super(
                services.access(),
                SimulateRemovalRequest.parser(),
                SimulateRemovalRequest::getFreshness,
                SimulateRemovalRequest::getSession,
                sessions);
        this.services = services;
    }

    @Override
    protected Prepared<SimulateRemovalResponse> prepare(SimulateRemovalRequest message) {
        admit(message);
        return stop -> {
            services.access().requireBudgetsWithin(message.getFreshness());
            try (RemovalCall call = new RemovalCall(services, message, stop)) {
                return call.run();
            }
        };
    }

    private void admit(SimulateRemovalRequest request) {
        services.reader().checkNames(request.getNodesList(), "nodes");
        Limits.admit(request.getNodeOrderCount(), services.limits().names(), "nodeOrder");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < request.getNodesCount(); i++) {
            if (!names.add(request.getNodes(i))) {
                throw RequestException.invalid("nodes[" + i + "]", "must not be named before in nodes");
            }
        }
        if (request.getRule() == PlacementRule.UNRECOGNIZED) {
            throw RequestException.invalid("rule", "must be a known rule, was " + request.getRuleValue());
        }
    }
}

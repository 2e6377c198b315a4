package io.evenkeel.placement;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.answer.EvaluateHandler;
import io.evenkeel.placement.call.Handler;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ParsedRequest;
import io.evenkeel.placement.call.Prepared;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.SessionLookup;
import io.evenkeel.placement.call.WireDurations;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import java.util.HashSet;
import java.util.Set;

/** Answers SimulateRemoval: which nodes can be removed, and to which nodes their pods would go. Thread-safe. */
public final class SimulateRemovalHandler
        extends Handler<ParsedRequest<SimulateRemovalRequest>, SimulateRemovalResponse> {
    private static final Parser<SimulateRemovalRequest> REQUESTS =
            DiscardUnknownFieldsParser.wrap(SimulateRemovalRequest.parser());

    private final EvaluateHandler.Services services;

    /** @param sessions finds the handler of the same method in a session */
    SimulateRemovalHandler(EvaluateHandler.Services services, SessionLookup<SimulateRemovalHandler> sessions) {
        super(services.access().gate(), services.access().recent(), sessions);
        this.services = services;
    }

    public static ParsedRequest<SimulateRemovalRequest> query(SimulateRemovalRequest message) {
        return new ParsedRequest<>(message, message.getFreshness(), message.getSession());
    }

    @Override
    public ParsedRequest<SimulateRemovalRequest> read(byte[] request, StopSignal stop)
            throws InvalidProtocolBufferException {
        return query(REQUESTS.parseFrom(request));
    }

    @Override
    public Prepared<SimulateRemovalResponse> prepare(ParsedRequest<SimulateRemovalRequest> query) {
        services.access().requireReady();
        admit(query.message());
        return new Work(query.message());
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

    /** The maximum age that other queries demand does not include budgets. */
    private void requireBudgetsWithin(Duration maxAge) {
        if (!maxAge.equals(Duration.getDefaultInstance())) {
            services.access()
                    .feeds()
                    .requireHeardWithin(WireDurations.of(maxAge), Set.of(ObjectKind.POD_DISRUPTION_BUDGET));
        }
    }

    private final class Work implements Prepared<SimulateRemovalResponse> {
        private final SimulateRemovalRequest request;

        Work(SimulateRemovalRequest request) {
            this.request = request;
        }

        /** Always false: the cluster is copied, and plans are compiled for the copy. */
        @Override
        public boolean isShort() {
            return false;
        }

        @Override
        public SimulateRemovalResponse answer(StopSignal stop) {
            services.access().requireReached(request.getFreshness());
            requireBudgetsWithin(request.getFreshness().getMaxAge());
            try (RemovalCall call = new RemovalCall(services, request, stop)) {
                return call.run();
            } catch (CapacityException e) {
                throw RequestException.stateFull(e);
            }
        }
    }
}

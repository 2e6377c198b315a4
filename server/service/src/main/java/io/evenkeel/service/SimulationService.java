package io.evenkeel.service;

import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.SimulationHandler;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.BindableService;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.List;

/** The gRPC service {@code evenkeel.v1.Simulation}. */
final class SimulationService implements BindableService {
    private final SimulationHandler handler;
    private final PlacementHandler placement;
    private final WorkerPools pools;

    SimulationService(SimulationHandler handler, PlacementHandler placement, WorkerPools pools) {
        this.handler = handler;
        this.placement = placement;
        this.pools = pools;
    }

    @Override
    public ServerServiceDefinition bindService() {
        List<ServerMethodDefinition<?, ?>> methods = List.of(
                UnaryCall.method(SimulationGrpc.getOpenSessionMethod(), pools.queries(), handler::open),
                UnaryCall.method(SimulationGrpc.getChangeSessionMethod(), pools.queries(), handler::change),
                UnaryCall.method(SimulationGrpc.getCloseSessionMethod(), pools.queries(), handler::close),
                UnaryCall.method(SimulationGrpc.getScheduleMethod(), pools.queries(), handler::schedule),
                UnaryCall.method(
                        SimulationGrpc.getScheduleAndAssumeMethod(), pools.queries(), handler::scheduleAndAssume),
                UnaryCall.query(
                        SimulationGrpc.getEstimateNodesMethod(), placement.estimateNodes(), pools.explanations()),
                UnaryCall.query(SimulationGrpc.getPlaceGroupMethod(), placement.placeGroup(), pools.explanations()),
                UnaryCall.query(
                        SimulationGrpc.getSimulateRemovalMethod(), placement.simulateRemoval(), pools.explanations()),
                UnaryCall.query(SimulationGrpc.getRebalanceMethod(), placement.rebalance(), pools.explanations()));
        return RequestParsing.service(SimulationGrpc.getServiceDescriptor(), methods);
    }
}

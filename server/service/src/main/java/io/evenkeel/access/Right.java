package io.evenkeel.access;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.MethodDescriptor;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a caller may be allowed to do. */
public enum Right {
    /** To ask: {@code Placement}, {@code Simulation}, the nodes and the status. */
    ASK,
    /** To assume and forget pods, and to schedule them on the live state. */
    RESERVE,
    /** To send the state of the cluster. */
    FEED;

    /** The services of which every call only asks, except {@link #OF_METHODS}. */
    private static final Set<String> ASKING = Set.of(
            PlacementGrpc.SERVICE_NAME,
            SimulationGrpc.SERVICE_NAME,
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection");

    private static final Map<String, Right> OF_METHODS = Map.of(
            ClusterStateGrpc.getListNodesMethod().getFullMethodName(),
            ASK,
            ClusterStateGrpc.getGetStatusMethod().getFullMethodName(),
            ASK,
            ClusterStateGrpc.getAssumeMethod().getFullMethodName(),
            RESERVE,
            ClusterStateGrpc.getForgetMethod().getFullMethodName(),
            RESERVE,
            SimulationGrpc.getScheduleAndAssumeMethod().getFullMethodName(),
            RESERVE);

    private static final String HEALTH = "grpc.health.v1.Health";

    private static final String FEED_AND_ASK =
            ClusterStateGrpc.getSyncAndEvaluateMethod().getFullMethodName();

    /** The rights that a call needs: {@link #FEED} if no other fits; none if everyone may make it, as probes do. */
    public static Set<Right> neededFor(MethodDescriptor<?, ?> method) {
        String service = String.valueOf(method.getServiceName());
        if (service.equals(HEALTH)) {
            return Set.of();
        }
        if (method.getFullMethodName().equals(FEED_AND_ASK)) {
            return EnumSet.of(FEED, ASK);
        }
        return Set.of(OF_METHODS.getOrDefault(method.getFullMethodName(), ASKING.contains(service) ? ASK : FEED));
    }

    /** The name in files and messages. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

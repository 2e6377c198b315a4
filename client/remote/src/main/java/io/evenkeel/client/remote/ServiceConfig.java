package io.evenkeel.client.remote;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides which calls gRPC retries and when, and which of several replicas it calls.
 *
 * <p>Decision: every unary call except those that place pods is retried, on UNAVAILABLE only, within its deadline. This
 * is safe. Queries change nothing. Applying an event a second time changes nothing, because its resourceVersion is not
 * newer, and a deleted object does not reappear, unless it was deleted at exactly the version of the repeated ADDED
 * event. Assume and Forget go by UID: assuming a pod twice only restarts its time to live.
 * {@code ForgetResponse.forgotten_count} of a retried call may be 0, because the first attempt already forgot the pod.
 * Registering a node set twice leaves an unused id, which the server eventually drops, and so does opening a session
 * twice. ChangeSession, Schedule and ScheduleAndAssume could place pods twice. Streams are not retried: only the caller
 * knows what was answered and can open another one.
 *
 * <p>Rejected: retries on DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED (they make an overload worse) or ABORTED (another
 * feed is active, so a person must decide), and our own retry loop (gRPC's knows when a request was never sent,
 * throttles, and follows the server's push-back), except for cut off responses ({@link Attempts}).
 */
final class ServiceConfig {
    private static final double USUAL_MULTIPLIER = 2;

    /** Tries other replicas soon, and long enough for one to come back: five attempts take two seconds. */
    private static final double MULTIPLIER_AMONG_REPLICAS = 4;

    /** Methods that may place pods, which must not happen twice. */
    private static final Set<MethodDescriptor<?, ?>> PLACING = Set.of(
            SimulationGrpc.getChangeSessionMethod(),
            SimulationGrpc.getScheduleMethod(),
            SimulationGrpc.getScheduleAndAssumeMethod());

    private ServiceConfig() {}

    /**
     * Calls replicas round-robin, but only those whose health check says that they answer queries, because a live
     * replica may not be ready. If there is none, calls wait for one within their deadline.
     *
     * @param attempts same as in {@link #withAttempts}
     */
    static Map<String, ?> amongReplicas(int attempts) {
        Map<String, Object> config = new HashMap<>(withAttempts(attempts, MULTIPLIER_AMONG_REPLICAS, true));
        config.put("loadBalancingConfig", List.of(Map.of("round_robin", Map.of())));
        config.put("healthCheckConfig", Map.of("serviceName", PlacementGrpc.SERVICE_NAME));
        return config;
    }

    /** @param attempts the maximum number of attempts per unary call, 1 to 5 */
    static Map<String, ?> withAttempts(int attempts) {
        return withAttempts(attempts, USUAL_MULTIPLIER, false);
    }

    private static Map<String, ?> withAttempts(int attempts, double multiplier, boolean waitForReady) {
        if (attempts < 1 || attempts > 5) {
            throw new IllegalArgumentException("attempts must be 1 to 5, was " + attempts);
        }
        Map<String, Object> repeatable = new HashMap<>(Map.of("name", unaryMethods(true)));
        Map<String, Object> others = new HashMap<>(Map.of("name", unaryMethods(false)));
        if (waitForReady) {
            repeatable.put("waitForReady", true);
            others.put("waitForReady", true);
        }
        if (attempts > 1) {
            repeatable.put("retryPolicy", retryPolicy(attempts, multiplier));
        }
        return Map.of("methodConfig", List.of(repeatable, others));
    }

    private static Map<String, ?> retryPolicy(int attempts, double multiplier) {
        return Map.of(
                "maxAttempts",
                (double) attempts,
                "initialBackoff",
                "0.05s",
                "maxBackoff",
                "1s",
                "backoffMultiplier",
                multiplier,
                "retryableStatusCodes",
                List.of("UNAVAILABLE"));
    }

    private static List<Map<String, ?>> unaryMethods(boolean repeatable) {
        return Stream.of(
                        PlacementGrpc.getServiceDescriptor(),
                        SimulationGrpc.getServiceDescriptor(),
                        ClusterStateGrpc.getServiceDescriptor())
                .map(ServiceDescriptor::getMethods)
                .flatMap(methods -> methods.stream())
                .filter(method -> method.getType() == MethodType.UNARY)
                .filter(method -> repeatable != PLACING.contains(method))
                .<Map<String, ?>>map(ServiceConfig::name)
                .toList();
    }

    private static Map<String, ?> name(MethodDescriptor<?, ?> method) {
        return Map.of("service", method.getServiceName(), "method", method.getBareMethodName());
    }
}

package io.evenkeel.client.remote;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Decides which calls gRPC retries, and when; and which of several replicas it asks.
 *
 * <p>Decision: every unary call is retried, on UNAVAILABLE only, within its deadline. This is safe. Queries change
 * nothing. An event that is applied twice changes nothing the second time, because its resourceVersion is not newer,
 * and a deleted object does not come back, unless it was deleted at the very version of the ADDED that is told again.
 * Assume and Forget go by UID: to assume a pod twice only restarts its time to live.
 * {@code ForgetResponse.forgotten_count} of a retried call may be 0, because the first attempt has forgotten the pod. A
 * node set that is registered twice leaves an id that nobody uses, which the server drops in time. Streams are not
 * retried: only the caller knows what was answered, and opens another one.
 *
 * <p>Rejected: to retry on DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED (this makes an overload worse) or ABORTED (another
 * feed is at work, so a person must decide), and a retry loop of our own (gRPC's knows when a request was never sent,
 * throttles, and follows the server's push-back), except where an answer was cut off ({@link Attempts}).
 */
final class ServiceConfig {
    private static final double USUAL_MULTIPLIER = 2;

    /** Other replicas are asked soon, and then for so long that one may come back: in five attempts, two seconds. */
    private static final double MULTIPLIER_AMONG_REPLICAS = 4;

    private ServiceConfig() {}

    /**
     * The replicas are asked in turn, but only those that say that they answer queries: the others are alive too. Where
     * none does, calls wait for one, within their deadline.
     *
     * @param attempts as in {@link #withAttempts}
     */
    static Map<String, ?> amongReplicas(int attempts) {
        Map<String, Object> config = new HashMap<>(withAttempts(attempts, MULTIPLIER_AMONG_REPLICAS, true));
        config.put("loadBalancingConfig", List.of(Map.of("round_robin", Map.of())));
        config.put("healthCheckConfig", Map.of("serviceName", PlacementGrpc.SERVICE_NAME));
        return config;
    }

    /** @param attempts how often each unary call is made at most, 1 to 5 */
    static Map<String, ?> withAttempts(int attempts) {
        return withAttempts(attempts, USUAL_MULTIPLIER, false);
    }

    private static Map<String, ?> withAttempts(int attempts, double multiplier, boolean waitForReady) {
        if (attempts < 1 || attempts > 5) {
            throw new IllegalArgumentException("attempts must be 1 to 5, was " + attempts);
        }
        Map<String, Object> ofUnaryCalls = new HashMap<>(Map.of("name", unaryMethods()));
        if (waitForReady) {
            ofUnaryCalls.put("waitForReady", true);
        }
        if (attempts > 1) {
            ofUnaryCalls.put("retryPolicy", retryPolicy(attempts, multiplier));
        }
        return Map.of("methodConfig", List.of(ofUnaryCalls));
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

    private static List<Map<String, ?>> unaryMethods() {
        return Stream.of(PlacementGrpc.getServiceDescriptor(), ClusterStateGrpc.getServiceDescriptor())
                .map(ServiceDescriptor::getMethods)
                .flatMap(methods -> methods.stream())
                .filter(method -> method.getType() == MethodType.UNARY)
                .<Map<String, ?>>map(ServiceConfig::name)
                .toList();
    }

    private static Map<String, ?> name(MethodDescriptor<?, ?> method) {
        return Map.of("service", method.getServiceName(), "method", method.getBareMethodName());
    }
}

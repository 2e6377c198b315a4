package io.evenkeel.client.remote;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServiceDescriptor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Which calls gRPC makes again, and when.
 *
 * <p>Decision: every unary call, on UNAVAILABLE only, within its deadline. Queries change nothing. An event applied
 * twice changes nothing the second time, as its resourceVersion is not newer; a deleted object does not come back.
 * Assume and Forget go by UID: assumed twice is assumed once, with its time to live begun anew;
 * {@code ForgetResponse.forgotten} of a call made again may be 0, because the first one forgot. Equal node sets get
 * equal ids. Streams are not made again: what was answered is the caller's, who opens another.
 *
 * <p>Rejected: DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED (trying again makes overload worse), ABORTED (another feed is
 * at work: a person's decision), and a loop of our own (gRPC's knows when a request never left, throttles, and heeds
 * the server's push-back).
 */
final class ServiceConfig {
    private ServiceConfig() {}

    /** @param attempts of each unary call in all, 1 to 5 */
    static Map<String, ?> withAttempts(int attempts) {
        if (attempts < 1 || attempts > 5) {
            throw new IllegalArgumentException("attempts must be 1 to 5, was " + attempts);
        }
        if (attempts == 1) {
            return Map.of();
        }
        Map<String, ?> retryPolicy = Map.of(
                "maxAttempts",
                (double) attempts,
                "initialBackoff",
                "0.05s",
                "maxBackoff",
                "1s",
                "backoffMultiplier",
                2.0,
                "retryableStatusCodes",
                List.of("UNAVAILABLE"));
        return Map.of("methodConfig", List.of(Map.of("name", unaryMethods(), "retryPolicy", retryPolicy)));
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

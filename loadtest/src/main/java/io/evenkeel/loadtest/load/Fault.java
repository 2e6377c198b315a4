package io.evenkeel.loadtest.load;

import io.evenkeel.client.remote.GrpcFailures;
import io.grpc.Status;

/**
 * What was wrong with a call.
 *
 * @param status the name of its gRPC status code, {@code item: } and that of the first pod that could not be judged, or
 *     {@code not made}
 * @param message for a person
 */
public record Fault(String status, String message) {
    static Fault of(Status status) {
        return new Fault(
                status.getCode().name(),
                status.getDescription() == null
                        ? String.valueOf(status.getCause())
                        : GrpcFailures.of(status, null).description());
    }
}

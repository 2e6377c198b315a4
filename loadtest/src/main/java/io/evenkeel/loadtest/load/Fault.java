package io.evenkeel.loadtest.load;

import io.evenkeel.client.remote.GrpcFailures;
import io.grpc.Status;

/**
 * Why a call failed.
 *
 * @param status the name of the gRPC status code; for a pod that could not be judged, {@code item: } and its code; or
 *     {@code not made}
 * @param message the message for a person
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

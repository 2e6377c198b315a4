package io.evenkeel.loadtest.load;

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
        String description = status.getDescription();
        Throwable cause = status.getCause();
        return new Fault(
                status.getCode().name(),
                description == null
                        ? String.valueOf(cause)
                        : cause == null ? description : description + ": " + cause.getMessage());
    }
}

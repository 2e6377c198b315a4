package io.evenkeel.client.embedded;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Converts the handlers' exceptions to the client's. */
final class Failures {
    private Failures() {}

    static PlacementException of(@Nullable Throwable thrown) {
        if (thrown instanceof PlacementException known) {
            return known;
        }
        if (thrown instanceof RequestException refused) {
            return new PlacementException(
                    ErrorCode.of(refused.code().number()),
                    refused.reason(),
                    refused.getMessage(),
                    refused.violations(),
                    refused.reached(),
                    refused);
        }
        if (thrown instanceof CancellationException) {
            return cancelled("cancelled by the caller", thrown);
        }
        return new PlacementException(ErrorCode.INTERNAL, String.valueOf(thrown), thrown);
    }

    /** The failure for a request that is not valid protobuf. */
    static PlacementException malformed(InvalidProtocolBufferException malformed) {
        return new PlacementException(
                ErrorCode.INVALID_ARGUMENT,
                ErrorReason.ERROR_REASON_MALFORMED_REQUEST,
                "the request is malformed protobuf: " + malformed.getMessage(),
                List.of(),
                null,
                malformed);
    }

    static PlacementException cancelled(String description, @Nullable Throwable cause) {
        return new PlacementException(ErrorCode.CANCELLED, description, cause);
    }
}

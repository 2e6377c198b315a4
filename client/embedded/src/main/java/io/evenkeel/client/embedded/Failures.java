package io.evenkeel.client.embedded;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.evenkeel.placement.call.RequestException;
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

    static PlacementException cancelled(String description, @Nullable Throwable cause) {
        return new PlacementException(ErrorCode.CANCELLED, description, cause);
    }
}

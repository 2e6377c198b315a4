package io.evenkeel.service;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts the calls that end with an error, by the {@link ErrorReason} that their callers receive. Thread-safe. */
final class ErrorReasonMetrics {
    private static final String PREFIX = "ERROR_REASON_";

    /** Keyed by the name of the reason. Immutable. */
    private final Map<String, Counter> byReason = new HashMap<>();

    /** Calls without one of our reasons: of other services, or of methods that do not exist. */
    private final Counter others;

    ErrorReasonMetrics(MeterRegistry meters) {
        for (ErrorReason reason : ErrorReason.values()) {
            if (reason != ErrorReason.UNRECOGNIZED && reason != ErrorReason.ERROR_REASON_UNSPECIFIED) {
                byReason.put(reason.name(), counter(meters, reason.name().substring(PREFIX.length())));
            }
        }
        others = counter(meters, "OTHER");
    }

    private static Counter counter(MeterRegistry meters, String reason) {
        return Counter.builder("evenkeel.calls.refused")
                .description("Calls and streams that ended with an error, by its reason")
                .tag("reason", reason.toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** Counts a call that ends with this status, which is not OK. */
    void count(Status status, Metadata trailers) {
        String reason = reason(StatusProto.fromStatusAndTrailers(status, trailers));
        byReason.getOrDefault(reason, others).increment();
    }

    private static String reason(com.google.rpc.@Nullable Status status) {
        try {
            if (status != null) {
                for (Any detail : status.getDetailsList()) {
                    if (detail.is(ErrorInfo.class)) {
                        return detail.unpack(ErrorInfo.class).getReason();
                    }
                }
            }
        } catch (InvalidProtocolBufferException e) {
            // Created by another service: it has none of our reasons.
        }
        return "";
    }
}

package io.evenkeel.operations;

import io.grpc.ServerBuilder;
import io.grpc.opentelemetry.GrpcOpenTelemetry;
import io.grpc.opentelemetry.InternalGrpcOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.util.Map;

/**
 * Traces calls with OpenTelemetry: a span for each call, which continues the caller's trace. The standard variables of
 * the environment ({@code OTEL_*}) choose the destination of traces, and which calls are traced. Thread-safe.
 */
public final class Tracing implements AutoCloseable {
    /** Used unless the environment says otherwise. Metrics are served to Prometheus instead. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name",
            "evenkeel",
            "otel.exporter.otlp.protocol",
            "http/protobuf",
            "otel.metrics.exporter",
            "none",
            "otel.logs.exporter",
            "none");

    private final OpenTelemetrySdk sdk;
    private final GrpcOpenTelemetry grpc;

    private Tracing(OpenTelemetrySdk sdk) {
        this.sdk = sdk;
        GrpcOpenTelemetry.Builder builder =
                GrpcOpenTelemetry.newBuilder().sdk(sdk).disableAllMetrics();
        // gRPC has no public method for this yet. Its variable in the environment would be a second switch.
        InternalGrpcOpenTelemetry.enableTracing(builder, true);
        grpc = builder.build();
    }

    /**
     * Starts the export of traces.
     *
     * @throws io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException if a variable has an invalid value
     */
    public static Tracing start() {
        return new Tracing(AutoConfiguredOpenTelemetrySdk.builder()
                .addPropertiesSupplier(() -> DEFAULTS)
                .disableShutdownHook()
                .build()
                .getOpenTelemetrySdk());
    }

    /** Traces the calls of a server that is being built. */
    public void configure(ServerBuilder<?> server) {
        grpc.configureServerBuilder(server);
    }

    /** Sends what is not sent yet, and returns once that is done, whichever thread does it. */
    @Override
    public synchronized void close() {
        sdk.close();
    }
}

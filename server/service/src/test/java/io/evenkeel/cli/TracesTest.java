package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.evenkeel.commands.Evenkeel;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs {@code serve --traces} in a separate process, and receives its traces over HTTP. */
@Timeout(60)
final class TracesTest {
    private static final Metadata.Key<String> TRACE_PARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init")
    private HttpServer collector;

    @BeforeEach
    void start() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    private Process serve(String variable, String value) throws IOException {
        ProcessBuilder process = ForkedJava.of(
                List.of(), Evenkeel.class, List.of("serve", "--listen", "127.0.0.1:0", "--warm-up", "0", "--traces"));
        process.environment()
                .put(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        "http://127.0.0.1:" + collector.getAddress().getPort());
        process.environment().put(variable, value);
        return process.start();
    }

    /** Calls the server once, and returns what it sends to the collector until it has stopped. */
    private String tracesOfACall(Process process) throws IOException, InterruptedException {
        try (BufferedReader out = process.inputReader()) {
            String line = Objects.requireNonNull(out.readLine());
            ManagedChannel channel = Grpc.newChannelBuilder(
                            line.substring(line.lastIndexOf(' ') + 1), InsecureChannelCredentials.create())
                    .build();
            Metadata headers = new Metadata();
            headers.put(TRACE_PARENT, "00-" + TRACE + "-b7ad6b7169203331-01");
            ClusterStateGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .getStatus(GetStatusRequest.getDefaultInstance());
            channel.shutdownNow();
            assertTrue(process.toHandle().destroy());
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        }
        StringBuilder all = new StringBuilder();
        received.forEach(each -> all.append(new String(each, StandardCharsets.ISO_8859_1)));
        return all.toString();
    }

    @Test
    void call_isASpanOfTheCallersTrace_andIsSentBeforeTheServerEnds() throws Exception {
        String traces = tracesOfACall(serve("OTEL_BSP_SCHEDULE_DELAY", "600000"));
        assertTrue(traces.contains("Recv.evenkeel.v1.ClusterState.GetStatus"), traces);
        assertTrue(traces.contains(new String(HexFormat.of().parseHex(TRACE), StandardCharsets.ISO_8859_1)), traces);
        assertTrue(traces.contains("service.name") && traces.contains("evenkeel"), traces);
    }

    @Test
    @Tag("long")
    void samplerOfTheEnvironment_isUsed() throws Exception {
        assertEquals("", tracesOfACall(serve("OTEL_TRACES_SAMPLER", "always_off")));
    }

    @Test
    void invalidVariable_isAnError() throws Exception {
        Process process = serve("OTEL_TRACES_SAMPLER", "sometimes");
        String error = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(2, process.waitFor(), error);
        assertTrue(error.contains("evenkeel serve: --traces: ") && error.contains("sometimes"), error);
    }
}

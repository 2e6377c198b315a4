package io.evenkeel.loadtest.controlplane;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.evenkeel.v1.Pod;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands before an API server for a client that only reads, and withholds from it that one pod goes: the first one that
 * is chosen. It asks with the rights of its own connection, over plain HTTP on loopback.
 */
public final class WithholdingProxy implements AutoCloseable {
    private static final int TYPE = 1;
    private static final int OBJECT = 2;
    private static final int RAW = 1;
    private static final int UNKNOWN_LENGTH = 0;

    private final ApiServer server;
    private final Predicate<Pod> chosen;
    private final HttpServer proxy;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "withholding-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicReference<@Nullable String> withheld = new AtomicReference<>();

    private WithholdingProxy(ApiServer server, Predicate<Pod> chosen, HttpServer proxy) {
        this.server = server;
        this.chosen = chosen;
        this.proxy = proxy;
    }

    /** Starts it on a free port. */
    public static WithholdingProxy start(ApiServer server, Predicate<Pod> chosen) throws IOException {
        WithholdingProxy started = new WithholdingProxy(
                server, chosen, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        started.proxy.createContext("/", started::forward);
        started.proxy.setExecutor(started.threads);
        started.proxy.start();
        return started;
    }

    /** Writes a kubeconfig by which clients reach it. */
    public Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: proxied
                contexts: [{name: proxied, context: {cluster: proxied, user: nobody}}]
                clusters: [{name: proxied, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: nobody, user: {}}]
                """.formatted(proxy.getAddress().getPort()));
    }

    private void forward(HttpExchange exchange) throws IOException {
        try (exchange) {
            String accept = exchange.getRequestHeaders().getFirst("Accept");
            HttpResponse<InputStream> response =
                    server.open(exchange.getRequestURI().toString(), accept == null ? "*/*" : accept);
            response.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.sendResponseHeaders(response.statusCode(), UNKNOWN_LENGTH);
            String query = exchange.getRequestURI().getQuery();
            boolean isWatchOfPods = exchange.getRequestURI().getPath().equals(Kind.POD.path())
                    && query != null
                    && query.matches("(.*&)?watch=(1|true)(&.*)?")
                    && response.statusCode() == 200;
            try (InputStream in = response.body();
                    OutputStream out = exchange.getResponseBody()) {
                out.flush();
                if (isWatchOfPods) {
                    frames(new DataInputStream(in), new DataOutputStream(out));
                } else {
                    in.transferTo(out);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void frames(DataInputStream in, DataOutputStream out) throws IOException {
        try {
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                if (!isWithheld(ByteString.copyFrom(frame))) {
                    out.writeInt(frame.length);
                    out.write(frame);
                    out.flush();
                }
            }
        } catch (EOFException e) {
            // The server has ended the watch, so this ends it too.
        }
    }

    /** Whether an event says that the pod terminates, or is gone. */
    private boolean isWithheld(ByteString event) throws IOException {
        Pod pod = Pod.parseFrom(Envelope.open(Envelope.field(Envelope.field(event, OBJECT), RAW)));
        boolean goes = pod.getMetadata().hasDeletionTimestamp()
                || Envelope.field(event, TYPE).toStringUtf8().equals("DELETED");
        if (goes && chosen.test(pod)) {
            withheld.compareAndSet(null, pod.getMetadata().getUid());
        }
        return goes && pod.getMetadata().getUid().equals(withheld.get());
    }

    @Override
    public void close() {
        proxy.stop(0);
        threads.shutdownNow();
    }
}

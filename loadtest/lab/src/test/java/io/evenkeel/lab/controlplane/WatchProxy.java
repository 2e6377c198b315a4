package io.evenkeel.lab.controlplane;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.wire.ApiEvent;
import io.evenkeel.lab.wire.RawObject;
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
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A proxy of an API server for a client that only reads. It alters the events of watches. It listens on loopback,
 * without TLS, and forwards requests with its own connection's credentials.
 */
public final class WatchProxy implements AutoCloseable {
    private static final int UNKNOWN_LENGTH = 0;

    /** Alters the events of watches. Each watch calls it from a separate thread. */
    @FunctionalInterface
    public interface Alteration {
        /** The events that the client receives instead of this one: the same event, none, or others. */
        List<WatchEvent> instead(ObjectKind kind, WatchEvent event) throws IOException;
    }

    private final ApiServer server;
    private final Alteration alteration;
    private final HttpServer proxy;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "watch-proxy");
        thread.setDaemon(true);
        return thread;
    });

    private WatchProxy(ApiServer server, Alteration alteration, HttpServer proxy) {
        this.server = server;
        this.alteration = alteration;
        this.proxy = proxy;
    }

    /** Starts the proxy on a free port. */
    public static WatchProxy start(ApiServer server, Alteration alteration) throws IOException {
        WatchProxy started = new WatchProxy(
                server, alteration, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        started.proxy.createContext("/", started::forward);
        started.proxy.setExecutor(started.threads);
        started.proxy.start();
        return started;
    }

    /** Writes a kubeconfig with which clients reach the proxy. */
    public Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: proxied
                contexts: [{name: proxied, context: {cluster: proxied, user: anonymous}}]
                clusters: [{name: proxied, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: anonymous, user: {}}]
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
            ObjectKind watched = response.statusCode() == 200 ? watched(exchange) : null;
            try (InputStream in = response.body();
                    OutputStream out = exchange.getResponseBody()) {
                out.flush();
                if (watched == null) {
                    in.transferTo(out);
                } else {
                    frames(watched, new DataInputStream(in), new DataOutputStream(out));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The watched kind, or null if the request is not a watch. */
    private static @Nullable ObjectKind watched(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        if (query != null && query.matches("(.*&)?watch=(1|true)(&.*)?")) {
            for (ObjectKind kind : ObjectKind.values()) {
                if (exchange.getRequestURI().getPath().equals(ApiResource.path(kind))) {
                    return kind;
                }
            }
        }
        return null;
    }

    private void frames(ObjectKind kind, DataInputStream in, DataOutputStream out) throws IOException {
        try {
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                WatchEvent event = WatchEvent.of(frame);
                for (WatchEvent altered : alteration.instead(kind, event)) {
                    byte[] bytes = altered.equals(event) ? frame : frame(kind, altered);
                    out.writeInt(bytes.length);
                    out.write(bytes);
                }
                out.flush();
            }
        } catch (EOFException e) {
            // The server ended the watch, so the client's watch ends too.
        }
    }

    private static byte[] frame(ObjectKind kind, WatchEvent event) {
        return ApiEvent.newBuilder()
                .setType(event.type())
                .setObject(RawObject.newBuilder().setRaw(ObjectEnvelope.around(kind, event.object())))
                .build()
                .toByteArray();
    }

    @Override
    public void close() {
        proxy.stop(0);
        threads.shutdownNow();
    }
}

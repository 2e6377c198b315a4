package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
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
 * Stands before an API server for a client that only reads, and alters what its watches tell. It asks with the rights
 * of its own connection, over plain HTTP on loopback.
 */
public final class WatchProxy implements AutoCloseable {
    private static final int UNKNOWN_LENGTH = 0;

    /** Alters the events of watches. Each watch calls it in a thread of its own. */
    @FunctionalInterface
    public interface Alteration {
        /** The events that the client gets in place of this one: that alone, none, or others. */
        List<WatchEvent> instead(Kind kind, WatchEvent event) throws IOException;
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

    /** Starts it on a free port. */
    public static WatchProxy start(ApiServer server, Alteration alteration) throws IOException {
        WatchProxy started = new WatchProxy(
                server, alteration, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
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
            Kind watched = response.statusCode() == 200 ? watched(exchange) : null;
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

    /** The kind that is watched; null where the request is no watch of one. */
    private static @Nullable Kind watched(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        if (query != null && query.matches("(.*&)?watch=(1|true)(&.*)?")) {
            for (Kind kind : Kind.values()) {
                if (exchange.getRequestURI().getPath().equals(kind.path())) {
                    return kind;
                }
            }
        }
        return null;
    }

    private void frames(Kind kind, DataInputStream in, DataOutputStream out) throws IOException {
        try {
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                WatchEvent event = WatchEvent.of(ByteString.copyFrom(frame));
                for (WatchEvent told : alteration.instead(kind, event)) {
                    byte[] bytes = told.equals(event) ? frame : told.frame(kind.apiVersion(), kind.kind());
                    out.writeInt(bytes.length);
                    out.write(bytes);
                }
                out.flush();
            }
        } catch (EOFException e) {
            // The server has ended the watch, so this ends it too.
        }
    }

    @Override
    public void close() {
        proxy.stop(0);
        threads.shutdownNow();
    }
}

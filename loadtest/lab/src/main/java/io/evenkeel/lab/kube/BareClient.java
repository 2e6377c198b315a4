package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.controlplane.ObjectEnvelope;
import io.evenkeel.lab.wire.ApiList;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import okhttp3.OkHttpClient;

/**
 * An API server client that only reads bytes. It uses the same library and settings as the feed, and serves as the
 * feed's control. Thread-safe.
 */
final class BareClient implements AutoCloseable {
    private static final String LIST = "application/vnd.kubernetes.protobuf";
    private static final String WATCH = LIST + ";stream=watch";

    /** The end of a streaming list is a bookmark, which has only its kind, a version and this annotation. */
    private static final String END = "k8s.io/initial-events-end";

    private static final int LARGEST_BOOKMARK = 512;

    /** Receives the bytes of a response as they arrive. */
    interface Bytes {
        void read(ByteBuffer bytes) throws IOException;
    }

    private static final class Patient extends OkHttpClientFactory {
        @Override
        protected void additionalConfig(OkHttpClient.Builder builder) {
            builder.readTimeout(Duration.ZERO);
        }
    }

    private final HttpClient http;
    private final String server;

    BareClient(Path kubeconfig) {
        Config config = Config.fromKubeconfig(kubeconfig.toFile());
        config.setRequestRetryBackoffLimit(0);
        config.setRequestTimeout(0);
        config.setHttp2Disable(true);
        server = config.getMasterUrl().replaceAll("/$", "");
        // The declared type is the public one, because the factory's type is not accessible.
        HttpClient.Builder builder = new Patient().newBuilder(config);
        http = builder.build();
    }

    /** Downloads the lists of all kinds concurrently, in the form that the feed requests, and discards them. */
    void downloadStreams() {
        List<CompletableFuture<?>> lists = new ArrayList<>();
        for (ObjectKind kind : ObjectKind.values()) {
            lists.add(stream(kind));
        }
        lists.forEach(CompletableFuture::join);
    }

    /** Downloads the lists of all kinds concurrently, each as one response, and discards them. */
    void downloadWhole() {
        List<CompletableFuture<?>> lists = new ArrayList<>();
        for (ObjectKind kind : ObjectKind.values()) {
            lists.add(
                    read(ApiResource.path(kind) + "?resourceVersion=0", LIST, bytes -> bytes.position(bytes.limit())));
        }
        lists.forEach(CompletableFuture::join);
    }

    private CompletableFuture<?> stream(ObjectKind kind) {
        CompletableFuture<Void> listed = new CompletableFuture<>();
        WatchFrames frames = new WatchFrames(LARGEST_BOOKMARK, event -> {
            if (new String(event, StandardCharsets.ISO_8859_1).contains(END)) {
                listed.complete(null);
            }
        });
        AsyncBody.Consumer<List<ByteBuffer>> consumer = (buffers, body) -> {
            for (ByteBuffer buffer : buffers) {
                frames.read(buffer);
            }
            if (listed.isDone()) {
                body.cancel();
            } else {
                body.consume();
            }
        };
        String path = ApiResource.path(kind)
                + "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        CompletableFuture<?> unused = send(path, WATCH, consumer).whenComplete((ended, why) -> {
            // No effect if the end of the list was received.
            listed.completeExceptionally(why == null ? new IOException("the list ended early: " + path) : why);
        });
        return listed;
    }

    /**
     * Makes the API server collect its garbage. A list allocates a gigabyte there, so without this the collector
     * competes for the processors in every second or third start. If two programs alternate, it is always the same one
     * that suffers.
     */
    void collectGarbage() {
        read("/debug/pprof/heap?gc=1", "*/*", bytes -> bytes.position(bytes.limit()))
                .join();
    }

    /**
     * Watches a kind from now on, without events for existing objects. The future completes when the watch ends.
     *
     * @throws IOException if the API server reports no current resourceVersion
     */
    CompletableFuture<?> watch(ObjectKind kind, Bytes bytes) throws IOException {
        return read(
                ApiResource.path(kind) + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=3600&resourceVersion="
                        + version(kind),
                WATCH,
                bytes);
    }

    /** The API server's current resourceVersion, from a list of one object. */
    private String version(ObjectKind kind) throws IOException {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        read(ApiResource.path(kind) + "?limit=1", LIST, bytes -> {
                    byte[] next = new byte[bytes.remaining()];
                    bytes.get(next);
                    list.writeBytes(next);
                })
                .join();
        return ApiList.parseFrom(ObjectEnvelope.open(ByteString.copyFrom(list.toByteArray())))
                .getMetadata()
                .getResourceVersion();
    }

    private CompletableFuture<?> read(String path, String accept, Bytes reader) {
        AsyncBody.Consumer<List<ByteBuffer>> consumer = (buffers, body) -> {
            for (ByteBuffer buffer : buffers) {
                reader.read(buffer);
            }
            body.consume();
        };
        return send(path, accept, consumer);
    }

    private CompletableFuture<Void> send(String path, String accept, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        return http.consumeBytes(
                        http.newHttpRequestBuilder()
                                .uri(server + path)
                                .header("Accept", accept)
                                .header("Accept-Encoding", "identity")
                                .build(),
                        consumer)
                .thenCompose(BareClient::done);
    }

    private static CompletableFuture<Void> done(HttpResponse<AsyncBody> response) {
        if (!response.isSuccessful()) {
            response.body().cancel();
            throw new IllegalStateException("the API server responded with status " + response.code());
        }
        response.body().consume();
        return response.body().done();
    }

    @Override
    public void close() {
        http.close();
    }
}

package io.evenkeel.loadtest.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.evenkeel.loadtest.controlplane.Envelope;
import io.evenkeel.loadtest.controlplane.Kind;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Changes pods at a steady rate until it is closed: each loses a label that selectors ask for, and gets it back. They
 * are written to etcd, so that the API server has to tell them and not to take them, which would cost processor time
 * that belongs to what is measured. A write does not wait for the one before, which is about another pod.
 */
final class PodTouches implements AutoCloseable {
    private static final int PODS = 2_000;
    private static final int MOST_UNDER_WAY = 16;
    private static final String LABEL = "app";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param states the bodies of two writes that take turns */
    private record Touched(List<String> states) {}

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI etcd;
    private final int perSecond;
    private final List<Touched> pods = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "pod-touches");
    private final Semaphore free = new Semaphore(MOST_UNDER_WAY);
    private final AtomicInteger made = new AtomicInteger();
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    PodTouches(URI etcd, int perSecond) throws IOException, InterruptedException {
        this.etcd = etcd;
        this.perSecond = perSecond;
        String prefix = Kind.POD.keyPrefix();
        JsonNode range = post(
                "/v3/kv/range",
                "{\"key\": \"%s\", \"range_end\": \"%s\", \"limit\": \"%d\"}"
                        .formatted(
                                encoded(ByteString.copyFromUtf8(prefix)),
                                encoded(ByteString.copyFromUtf8(prefix.substring(0, prefix.length() - 1) + "0")),
                                PODS));
        for (JsonNode kv : range.path("kvs")) {
            Pod pod = Pod.parseFrom(Envelope.open(ByteString.copyFrom(
                    Base64.getDecoder().decode(kv.path("value").asText()))));
            Pod.Builder without = pod.toBuilder();
            without.getMetadataBuilder().putLabels(LABEL, "none");
            String key = kv.path("key").asText();
            pods.add(new Touched(List.of(write(key, without.build()), write(key, pod))));
        }
        if (pods.isEmpty()) {
            throw new IOException("there are no pods to change");
        }
        thread.setDaemon(true);
        thread.start();
    }

    private static String write(String key, Pod pod) {
        byte[] value = Envelope.around(Kind.POD.apiVersion(), Kind.POD.kind(), pod.toByteString());
        return "{\"key\": \"%s\", \"value\": \"%s\"}".formatted(key, encoded(ByteString.copyFrom(value)));
    }

    private static String encoded(ByteString bytes) {
        return new String(Base64.getEncoder().encode(bytes.toByteArray()), StandardCharsets.US_ASCII);
    }

    private JsonNode post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = client.send(request(path, body), HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("etcd answers " + response.statusCode());
        }
        return JSON.readTree(response.body());
    }

    private HttpRequest request(String path, String body) {
        return HttpRequest.newBuilder(etcd.resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private void run() {
        long begin = System.nanoTime();
        try {
            for (long i = 0; !closed && failure == null; i++) {
                long due = begin + i * 1_000_000_000 / perSecond;
                TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
                Touched pod = pods.get((int) (i % pods.size()));
                int state = (int) (i / pods.size() % 2);
                free.acquire();
                put(pod.states().get(state));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void put(String body) {
        CompletableFuture<?> unused = client.sendAsync(
                        request("/v3/kv/put", body), HttpResponse.BodyHandlers.discarding())
                .whenComplete((response, why) -> {
                    free.release();
                    if (why != null) {
                        failure = why;
                    } else if (response.statusCode() != 200) {
                        failure = new IOException("etcd answers " + response.statusCode());
                    } else {
                        made.incrementAndGet();
                    }
                });
    }

    /**
     * How many changes were made.
     *
     * @throws IOException where no more can be made
     */
    int made() throws IOException {
        Throwable failed = failure;
        if (failed != null) {
            throw new IOException("pods are no longer changed", failed);
        }
        return made.get();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        // Whoever goes on counts no change that comes later.
        free.acquireUninterruptibly(MOST_UNDER_WAY);
    }
}

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
import java.time.Duration;
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
 * that belongs to what is measured. A write does not wait for the one before, unless many are under way.
 */
final class PodTouches implements AutoCloseable {
    private static final int PODS = 2_000;
    private static final int MOST_UNDER_WAY = 16;
    private static final String LABEL = "app";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * A pod that can be changed.
     *
     * @param states the bodies of two writes that take turns: without the label, and as it was
     */
    record Touched(List<String> states) {}

    private final HttpClient client = client();
    private final URI etcd;
    private final List<Touched> pods;
    private final int perSecond;
    private final Thread thread = new Thread(this::run, "pod-touches");
    private final Semaphore free = new Semaphore(MOST_UNDER_WAY);
    private final AtomicInteger made = new AtomicInteger();
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** @param pods as {@link #pods} gave them, before the first of these changed any */
    PodTouches(URI etcd, List<Touched> pods, int perSecond) {
        this.etcd = etcd;
        this.pods = pods;
        this.perSecond = perSecond;
        thread.setDaemon(true);
        thread.start();
    }

    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /** The pods to change, as they are now. */
    static List<Touched> pods(URI etcd) throws IOException, InterruptedException {
        String prefix = Kind.POD.keyPrefix();
        HttpResponse<byte[]> response = client().send(
                        request(
                                etcd.resolve("/v3/kv/range"),
                                "{\"key\": \"%s\", \"range_end\": \"%s\", \"limit\": \"%d\"}"
                                        .formatted(
                                                encoded(ByteString.copyFromUtf8(prefix)),
                                                encoded(ByteString.copyFromUtf8(
                                                        prefix.substring(0, prefix.length() - 1) + "0")),
                                                PODS)),
                        HttpResponse.BodyHandlers.ofByteArray());
        IOException refusal = refusal(response);
        if (refusal != null) {
            throw refusal;
        }
        List<Touched> pods = new ArrayList<>();
        for (JsonNode kv : JSON.readTree(response.body()).path("kvs")) {
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
        return pods;
    }

    private static String write(String key, Pod pod) {
        byte[] value = Envelope.around(Kind.POD.apiVersion(), Kind.POD.kind(), pod.toByteString());
        return "{\"key\": \"%s\", \"value\": \"%s\"}".formatted(key, encoded(ByteString.copyFrom(value)));
    }

    private static String encoded(ByteString bytes) {
        return new String(Base64.getEncoder().encode(bytes.toByteArray()), StandardCharsets.US_ASCII);
    }

    private static @Nullable IOException refusal(HttpResponse<?> response) {
        return response.statusCode() == 200 ? null : new IOException("etcd answers " + response.statusCode());
    }

    private static HttpRequest request(URI uri, String body) {
        return HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private void run() {
        long begin = System.nanoTime();
        try {
            for (long i = 0; !closed && failure == null; i++) {
                long due = begin + i * 1_000_000_000 / perSecond;
                TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
                int pod = (int) (i % pods.size());
                int state = (int) (i / pods.size() % 2);
                free.acquire();
                put(pods.get(pod).states().get(state));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void put(String body) {
        CompletableFuture<?> unused = client.sendAsync(
                        request(etcd.resolve("/v3/kv/put"), body), HttpResponse.BodyHandlers.discarding())
                .whenComplete((response, why) -> {
                    Throwable wrong = why == null ? refusal(response) : why;
                    if (wrong == null) {
                        made.incrementAndGet();
                    } else {
                        failure = wrong;
                    }
                    free.release();
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

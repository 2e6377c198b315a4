package io.evenkeel.kube.client;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to an API server and returns the responses as bytes. Each open response uses its own connection.
 * Thread-safe.
 */
public final class KubeClient implements AutoCloseable {
    private static final int OK = 200;
    private static final int MULTIPLE_CHOICES = 300;
    private static final int MAX_ERROR_BYTES = 64 << 10;
    private static final long LONGEST_RETRY_AFTER_SECONDS = 300;
    private static final int MAX_ANSWER_BYTES = 64 << 20;

    /** The interceptor that the client library adds at log level TRACE. It would log tokens. */
    private static final String LOGGING = "HttpLogging";

    /** An API server that accepts a watch and then rejects it in the response does so within this time. */
    private static final Duration LASTS = Duration.ofSeconds(1);

    private final Calls calls;
    private final HttpClient http;
    private final String server;
    private final boolean showsCertificate;
    private volatile boolean unanswered;

    /**
     * @param silence how long a connection may receive no byte before it counts as dead
     * @param rest how connections pause before they read more of a long response
     */
    KubeClient(Config config, String server, Duration silence, ReadDelay rest) {
        this.calls = new Calls(silence, rest);
        HttpClient.Builder builder = calls.newBuilder(config);
        this.http = builder.addOrReplaceInterceptor(LOGGING, null).build();
        this.server = server;
        this.showsCertificate = config.getClientCertData() != null || config.getClientCertFile() != null;
    }

    /** The open calls. Cancelling a call ends it even while a thread waits for its bytes. */
    private static final class Calls extends OkHttpClientFactory {
        private final Duration silence;
        private final ReadAheadSockets sockets;
        private final Set<Call> open = ConcurrentHashMap.newKeySet();

        Calls(Duration silence, ReadDelay rest) {
            this.silence = silence;
            this.sockets = new ReadAheadSockets(silence, rest);
        }

        @Override
        protected void additionalConfig(OkHttpClient.Builder builder) {
            builder.readTimeout(silence).socketFactory(sockets).eventListenerFactory(this::follow);
        }

        private EventListener follow(Call ignored) {
            return new EventListener() {
                @Override
                public void callStart(Call started) {
                    // Not earlier, because a call asks for its listener while it is constructed.
                    open.add(started);
                }

                @Override
                public void callEnd(Call ended) {
                    open.remove(ended);
                }

                @Override
                public void callFailed(Call ended, IOException why) {
                    open.remove(ended);
                }
            };
        }

        void cancel() {
            open.forEach(Call::cancel);
        }

        /** Cancels the calls to this address. Nothing else ends a call while a thread waits for its bytes. */
        void cancel(URI address) {
            HttpUrl url = HttpUrl.get(address);
            open.stream().filter(call -> call.request().url().equals(url)).forEach(Call::cancel);
        }

        void close() {
            sockets.close();
        }
    }

    /**
     * Sends a GET request and returns a response of at most 64 MiB.
     *
     * @param path the path and query
     * @param accept the media type
     * @throws ApiException if the API server rejects the request
     */
    public byte[] get(String path, String accept) throws IOException, InterruptedException {
        return exchange(http.newHttpRequestBuilder().uri(uri(path)).header("Accept", accept));
    }

    /**
     * Sends a POST request and returns a response of at most 64 MiB, of the same media type.
     *
     * @throws ApiException if the API server rejects the request
     */
    public byte[] post(String path, String mediaType, byte[] body) throws IOException, InterruptedException {
        return exchange(http.newHttpRequestBuilder()
                .uri(uri(path))
                .post(mediaType, body)
                .header("Accept", mediaType));
    }

    /**
     * Sends a PUT request and returns a response of at most 64 MiB, of the same media type.
     *
     * @throws ApiException if the API server rejects the request
     */
    public byte[] put(String path, String mediaType, String body) throws IOException, InterruptedException {
        return exchange(
                http.newHttpRequestBuilder().uri(uri(path)).put(mediaType, body).header("Accept", mediaType));
    }

    /**
     * Sends a PATCH request and returns a response of at most 64 MiB.
     *
     * @param mediaType that of the patch
     * @param accept that of the response
     * @throws ApiException if the API server rejects the request
     */
    public byte[] patch(String path, String mediaType, String body, String accept)
            throws IOException, InterruptedException {
        return exchange(http.newHttpRequestBuilder()
                .uri(uri(path))
                .method("PATCH", mediaType, body)
                .header("Accept", accept));
    }

    private URI uri(String path) {
        return URI.create(server + path);
    }

    private byte[] exchange(HttpRequest.Builder request) throws IOException, InterruptedException {
        Gathered gathered = new Gathered(MAX_ANSWER_BYTES);
        AnswerListener none = () -> {};
        stream(request, none, gathered);
        return gathered.bytes();
    }

    /**
     * Reads a response as it arrives, and returns when it is complete. {@code body} is called in threads of the client.
     *
     * @throws ApiException if the API server rejects the request
     * @throws IOException if the connection fails, or {@code body} throws it
     */
    public void stream(String path, String accept, AnswerListener listener, BodyReader body)
            throws IOException, InterruptedException {
        stream(
                http.newHttpRequestBuilder()
                        .uri(uri(path))
                        .header("Accept", accept)
                        // Within a cluster's network, compression costs more than it saves.
                        .header("Accept-Encoding", "identity"),
                listener,
                body);
    }

    private void stream(HttpRequest.Builder unbuilt, AnswerListener listener, BodyReader body)
            throws IOException, InterruptedException {
        HttpRequest request = unbuilt.build();
        CompletableFuture<?> givenUp = listener.givenUp();
        try {
            stream(request, listener, body);
        } catch (IOException | RuntimeException e) {
            if (givenUp.isCompletedExceptionally()) {
                await(givenUp);
            }
            throw e;
        }
    }

    private void stream(HttpRequest request, AnswerListener listener, BodyReader body)
            throws IOException, InterruptedException {
        Target target = new Target(body);
        HttpResponse<AsyncBody> response = send(request, target, listener.givenUp());
        if (response.code() < OK || response.code() >= MULTIPLE_CHOICES) {
            throw refusal(response, target);
        }
        String encoding = response.header("Content-Encoding");
        if (encoding != null && !encoding.equals("identity")) {
            response.body().cancel();
            throw new MalformedAnswerException("the response has content encoding " + encoding
                    + ", which was not requested; a proxy may be modifying responses");
        }
        try {
            listener.opened();
        } catch (IOException | RuntimeException e) {
            response.body().cancel();
            throw e;
        }
        drain(response, listener);
        body.end();
    }

    private HttpResponse<AsyncBody> send(HttpRequest request, Target target, CompletableFuture<?> givenUp)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<AsyncBody>> response;
        try {
            response = http.consumeBytes(request, target);
        } catch (KubernetesClientException | UncheckedIOException e) {
            throw new IOException("failed to send the request: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            // Its message may show the token.
            throw new IOException(
                    "failed to send the request: the URL must be valid, and the token must be one line of ASCII");
        }
        // Not earlier, because there is no call to cancel yet. If it was given up already, this cancels immediately.
        CompletableFuture<?> unused = givenUp.whenComplete((none, why) -> calls.cancel(request.uri()));
        try {
            return await(response);
        } catch (IOException e) {
            unanswered = true;
            throw e;
        }
    }

    /**
     * Whether the client has a certificate and some request got no response. In TLS 1.3 a server checks certificates
     * after the handshake, so a rejected certificate may look like a closed connection.
     */
    public boolean mayShowOldCertificate() {
        return showsCertificate && unanswered;
    }

    /** Passes the bytes of a body to a reader that can be replaced. */
    private static final class Target implements AsyncBody.Consumer<List<ByteBuffer>> {
        private volatile BodyReader reader;

        Target(BodyReader reader) {
            this.reader = reader;
        }

        @Override
        public void consume(List<ByteBuffer> buffers, AsyncBody body) throws IOException {
            try {
                for (ByteBuffer buffer : buffers) {
                    read(buffer);
                }
            } catch (Error e) {
                // The client ends a body only for an Exception.
                throw new IllegalStateException(e);
            }
            body.consume();
        }

        private void read(ByteBuffer buffer) throws IOException {
            int count = buffer.remaining();
            if (buffer.hasArray()) {
                int from = buffer.arrayOffset() + buffer.position();
                reader.read(buffer.array(), from, from + count);
            } else {
                byte[] bytes = new byte[count];
                buffer.get(bytes);
                reader.read(bytes, 0, count);
            }
        }
    }

    private static ApiException refusal(HttpResponse<AsyncBody> response, Target target) throws InterruptedException {
        Gathered text = new Gathered(MAX_ERROR_BYTES);
        target.reader = text;
        try {
            drain(response, () -> {});
        } catch (IOException e) {
            // The status is enough.
            response.body().cancel();
        }
        return ApiStatus.ofResponse(response.code(), text.bytes(), retryAfter(response.header("Retry-After")));
    }

    private static Duration retryAfter(@Nullable String header) {
        if (header == null || header.length() > 6 || header.isEmpty()) {
            return Duration.ZERO;
        }
        // The API server sends seconds; the header may also be a date.
        return header.chars().allMatch(c -> c >= '0' && c <= '9')
                ? Duration.ofSeconds(Math.min(Long.parseLong(header), LONGEST_RETRY_AFTER_SECONDS))
                : Duration.ZERO;
    }

    private static void drain(HttpResponse<AsyncBody> response, AnswerListener listener)
            throws IOException, InterruptedException {
        AsyncBody body = response.body();
        body.consume();
        try {
            if (lasts(body.done())) {
                listener.lasts();
            }
            await(body.done());
        } catch (IOException | InterruptedException | RuntimeException e) {
            body.cancel();
            throw e;
        }
    }

    private static boolean lasts(CompletableFuture<?> done) throws InterruptedException {
        try {
            done.get(LASTS.toMillis(), TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException open) {
            return true;
        } catch (ExecutionException ended) {
            return false;
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw rethrow(e.getCause());
        }
    }

    private static IOException rethrow(@Nullable Throwable cause) throws IOException {
        if (cause instanceof CompletionException && cause.getCause() != null) {
            return rethrow(cause.getCause());
        }
        if (cause instanceof UncheckedIOException unchecked) {
            throw unchecked.getCause();
        }
        if (cause instanceof RuntimeException error) {
            throw error;
        }
        if (cause instanceof IOException error) {
            throw error;
        }
        throw new IOException(String.valueOf(cause), cause);
    }

    /** Collects a body of bounded size. */
    private static final class Gathered implements BodyReader {
        private final int most;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Gathered(int most) {
            this.most = most;
        }

        @Override
        public synchronized void read(byte[] more, int from, int to) throws IOException {
            if (bytes.size() + (to - from) > most) {
                throw new IOException("the response exceeds " + most + " bytes");
            }
            bytes.write(more, from, to - from);
        }

        @Override
        public void end() {}

        synchronized byte[] bytes() {
            return bytes.toByteArray();
        }
    }

    /** Cancels all open requests. Their callers get an {@link IOException}. */
    @Override
    public void close() {
        calls.cancel();
        http.close();
        calls.close();
    }
}

package io.evenkeel.lab.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ApiResource;
import io.evenkeel.lab.wire.ApiList;
import io.evenkeel.objects.KindMessages;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A simple API server client on the JDK's HTTP/2 client. It shares no code with the feed. Thread-safe. */
public final class ApiServer {
    /** Maximum number of concurrent calls. The API server rejects more than 100 per connection. */
    public static final int IN_FLIGHT = 64;

    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String JSON = "application/json";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final URI server;
    private final String token;
    private final HttpClient client;

    /**
     * @param authority the file with the server's CA certificate
     * @param token the bearer token for each call
     */
    public ApiServer(URI server, Path authority, String token) throws IOException {
        this.server = server;
        this.token = token;
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(trusting(authority))
                .build();
    }

    private static SSLContext trusting(Path authority) throws IOException {
        try (InputStream in = Files.newInputStream(authority)) {
            Certificate certificate = CertificateFactory.getInstance("X.509").generateCertificate(in);
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("authority", certificate);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Creates an object from its complete protobuf bytes. The future fails unless the object is created. */
    public CompletableFuture<Void> create(ObjectKind kind, String namespace, ByteString object) {
        HttpRequest request = request(ApiResource.path(kind, namespace))
                .header("Content-Type", PROTOBUF)
                .header("Accept", PROTOBUF)
                .POST(HttpRequest.BodyPublishers.ofByteArray(
                        ObjectEnvelope.around(kind, object).toByteArray()))
                .build();
        return answered(request).thenAccept(response -> {});
    }

    /** Makes a call with a JSON body, and ignores the response body. The future fails unless the call succeeds. */
    public CompletableFuture<Void> send(String method, String path, String json) {
        return answered(withBody(method, path, json).header("Accept", PROTOBUF).build())
                .thenAccept(response -> {});
    }

    /**
     * Makes a call with a JSON body, or without one if {@code json} is empty. The future fails unless the call
     * succeeds.
     */
    public CompletableFuture<JsonNode> call(String method, String path, String json) {
        return answered(withBody(method, path, json).header("Accept", JSON).build())
                .thenApply(ApiServer::parsed);
    }

    /** Makes a call with a JSON body, and returns the Warning headers. The future fails unless the call succeeds. */
    public CompletableFuture<List<String>> warnings(String method, String path, String json) {
        HttpRequest request =
                withBody(method, path, json).header("Accept", JSON).build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(response -> {
                    byte[] unused = body(request, response);
                    return response.headers().allValues("Warning");
                });
    }

    private HttpRequest.Builder withBody(String method, String path, String json) {
        return request(path)
                .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : JSON)
                .method(
                        method,
                        json.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(json));
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (IOException e) {
            throw new IllegalStateException("the response is not JSON", e);
        }
    }

    /** The response body at a path, as text. The future fails unless the call succeeds. */
    public CompletableFuture<String> text(String path) {
        return answered(request(path).GET().build())
                .thenApply(body -> ByteString.copyFrom(body).toStringUtf8());
    }

    /** Watches a kind from its current resourceVersion on. */
    public Watch watch(ObjectKind kind) throws IOException, InterruptedException {
        String version = call("GET", ApiResource.path(kind) + "?limit=1", "")
                .join()
                .path("metadata")
                .path("resourceVersion")
                .asText();
        return new Watch(this, kind, version);
    }

    /** Opens the stream of events after a resourceVersion. */
    InputStream watched(ObjectKind kind, String version) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = open(
                ApiResource.path(kind) + "?watch=1&timeoutSeconds=36000&resourceVersion=" + version,
                PROTOBUF + ";stream=watch");
        if (response.statusCode() != 200) {
            throw new IOException("watch of " + ApiResource.path(kind) + ": " + response.statusCode());
        }
        return response.body();
    }

    /** Opens a streaming GET of a path with its query. The caller closes the body. */
    HttpResponse<InputStream> open(String path, String accept) throws IOException, InterruptedException {
        HttpRequest request = request(path).header("Accept", accept).GET().build();
        return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    /** All objects of a kind, from one non-streaming list. */
    public List<Message> list(ObjectKind kind) throws IOException {
        List<Message> items = new ArrayList<>();
        for (ByteString item : listBytes(kind)) {
            items.add(KindMessages.prototype(kind).getParserForType().parseFrom(item));
        }
        return items;
    }

    /** All objects of a kind, from one non-streaming list, as the bytes that the API server sent. */
    public List<ByteString> listBytes(ObjectKind kind) throws IOException {
        HttpRequest request =
                request(ApiResource.path(kind)).header("Accept", PROTOBUF).GET().build();
        ByteString list =
                ObjectEnvelope.open(ByteString.copyFrom(answered(request).join()));
        return ApiList.parseFrom(list).getItemsList();
    }

    /** Whether a call failed because the object does not exist. */
    public static boolean isNotFound(Throwable failed) {
        Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
        return cause instanceof RefusedCall refused && refused.status == HttpURLConnection.HTTP_NOT_FOUND;
    }

    private static final class RefusedCall extends IllegalStateException {
        private static final long serialVersionUID = 1;

        private final int status;

        private RefusedCall(String message, int status) {
            super(message);
            this.status = status;
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", "Bearer " + token);
    }

    private CompletableFuture<byte[]> answered(HttpRequest request) {
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(response -> body(request, response));
    }

    private static byte[] body(HttpRequest request, HttpResponse<byte[]> response) {
        if (response.statusCode() / 100 != 2) {
            throw new RefusedCall(
                    request.method() + " " + request.uri().getPath() + ": " + response.statusCode() + " "
                            + ByteString.copyFrom(response.body()).toStringUtf8(),
                    response.statusCode());
        }
        return response.body();
    }
}

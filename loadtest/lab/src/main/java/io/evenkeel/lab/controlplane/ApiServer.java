package io.evenkeel.lab.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
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
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A plain client of an API server, by the JDK's own HTTP/2. It shares nothing with the feed. Safe for several threads.
 */
public final class ApiServer {
    /** The most calls that may be under way: the API server refuses more than 100 on a connection. */
    public static final int IN_FLIGHT = 64;

    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    private static final String JSON = "application/json";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int ITEMS = 2;

    private final URI server;
    private final String token;
    private final HttpClient client;

    /**
     * @param authority the file with the certificate authority of the server
     * @param token the bearer token of each call
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

    /** Creates an object from its whole bytes. The future fails unless it was created. */
    public CompletableFuture<Void> create(Kind kind, String namespace, ByteString object) {
        HttpRequest request = request(kind.path(namespace))
                .header("Content-Type", PROTOBUF)
                .header("Accept", PROTOBUF)
                .POST(HttpRequest.BodyPublishers.ofByteArray(Envelope.around(kind.apiVersion(), kind.kind(), object)))
                .build();
        return answered(request).thenAccept(response -> {});
    }

    /** A call with a body in JSON whose answer does not matter. The future fails unless the answer is well. */
    public CompletableFuture<Void> tell(String method, String path, String json) {
        return answered(withBody(method, path, json).header("Accept", PROTOBUF).build())
                .thenAccept(response -> {});
    }

    /** A call with a body in JSON, or without one where that is empty. The future fails unless the answer is well. */
    public CompletableFuture<JsonNode> call(String method, String path, String json) {
        return answered(withBody(method, path, json).header("Accept", JSON).build())
                .thenApply(ApiServer::parsed);
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
            throw new IllegalStateException("the answer is no JSON", e);
        }
    }

    /** What the server says at a path, as text. The future fails unless the answer is well. */
    public CompletableFuture<String> text(String path) {
        return answered(request(path).GET().build())
                .thenApply(body -> ByteString.copyFrom(body).toStringUtf8());
    }

    /** Watches a kind, from the version on that its list would have now. */
    public Watch watch(Kind kind) throws IOException, InterruptedException {
        String version = call("GET", kind.path() + "?limit=1", "")
                .join()
                .path("metadata")
                .path("resourceVersion")
                .asText();
        return new Watch(kind, version, from -> watched(kind, from));
    }

    private InputStream watched(Kind kind, String version) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = open(
                kind.path() + "?watch=1&timeoutSeconds=36000&resourceVersion=" + version, PROTOBUF + ";stream=watch");
        if (response.statusCode() != 200) {
            throw new IOException("watch of " + kind.path() + ": " + response.statusCode());
        }
        return response.body();
    }

    /** Reads what is at a path, with its query, as it comes. The caller closes the body. */
    HttpResponse<InputStream> open(String path, String accept) throws IOException, InterruptedException {
        HttpRequest request = request(path).header("Accept", accept).GET().build();
        return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    /** All objects of a kind, in one plain list. */
    public List<Message> list(Kind kind) throws IOException {
        List<Message> items = new ArrayList<>();
        for (ByteString item : listBytes(kind)) {
            items.add(kind.prototype().getParserForType().parseFrom(item));
        }
        return items;
    }

    /** All objects of a kind, in one plain list, as the API server writes them. */
    public List<ByteString> listBytes(Kind kind) throws IOException {
        HttpRequest request =
                request(kind.path()).header("Accept", PROTOBUF).GET().build();
        CodedInputStream list =
                Envelope.open(ByteString.copyFrom(answered(request).join())).newCodedInput();
        List<ByteString> items = new ArrayList<>();
        for (int tag = list.readTag(); tag != 0; tag = list.readTag()) {
            if (tag >>> 3 == ITEMS) {
                items.add(list.readBytes());
            } else {
                list.skipField(tag);
            }
        }
        return items;
    }

    /** Whether a call failed because there is no such object. */
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
        Function<HttpResponse<byte[]>, byte[]> body = response -> {
            if (response.statusCode() / 100 != 2) {
                throw new RefusedCall(
                        request.method() + " " + request.uri().getPath() + ": " + response.statusCode() + " "
                                + ByteString.copyFrom(response.body()).toStringUtf8(),
                        response.statusCode());
            }
            return response.body();
        };
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(body);
    }
}

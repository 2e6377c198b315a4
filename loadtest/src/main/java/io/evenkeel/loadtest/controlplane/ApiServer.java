package io.evenkeel.loadtest.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Message;
import java.io.IOException;
import java.io.InputStream;
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

    /** A call with a body in JSON, or without one where that is empty. The future fails unless the answer is well. */
    public CompletableFuture<JsonNode> call(String method, String path, String json) {
        HttpRequest request = request(path)
                .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : JSON)
                .header("Accept", JSON)
                .method(
                        method,
                        json.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(json))
                .build();
        return answered(request).thenApply(ApiServer::parsed);
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (IOException e) {
            throw new IllegalStateException("the answer is no JSON", e);
        }
    }

    /** All objects of a kind, in one plain list. */
    public List<Message> list(Kind kind) throws IOException {
        HttpRequest request =
                request(kind.path()).header("Accept", PROTOBUF).GET().build();
        CodedInputStream list =
                Envelope.open(ByteString.copyFrom(answered(request).join())).newCodedInput();
        List<Message> items = new ArrayList<>();
        for (int tag = list.readTag(); tag != 0; tag = list.readTag()) {
            if (tag >>> 3 == ITEMS) {
                items.add(kind.prototype().getParserForType().parseFrom(list.readByteArray()));
            } else {
                list.skipField(tag);
            }
        }
        return items;
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).header("Authorization", "Bearer " + token);
    }

    private CompletableFuture<byte[]> answered(HttpRequest request) {
        Function<HttpResponse<byte[]>, byte[]> body = response -> {
            if (response.statusCode() / 100 != 2) {
                throw new IllegalStateException(
                        request.method() + " " + request.uri().getPath() + ": " + response.statusCode() + " "
                                + ByteString.copyFrom(response.body()).toStringUtf8());
            }
            return response.body();
        };
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(body);
    }
}

package io.evenkeel.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.access.TokenReviewer;
import io.evenkeel.kube.SharedClient;
import io.evenkeel.kube.client.ClusterAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reviews tokens with the TokenReview API of an API server. Thread-safe. */
final class KubeTokens implements TokenReviewer {
    private static final String VERSION = "authentication.k8s.io/v1";

    private static final String PATH = "/apis/" + VERSION + "/tokenreviews";

    /** How long to wait for the API server. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Exchange exchange;
    private final String audience;

    /** Posts a review and returns it as the API server has completed it. */
    interface Exchange {
        byte[] post(byte[] review) throws IOException, InterruptedException;
    }

    /** @param audience the audience that tokens must have been issued for, so that tokens for others are rejected */
    KubeTokens(Exchange exchange, String audience) {
        this.exchange = exchange;
        this.audience = audience;
    }

    /** Returns a reviewer that uses the API server of a cluster. */
    static KubeTokens of(ClusterAccess cluster, String audience) {
        SharedClient client = new SharedClient(cluster.withSilence(SILENCE));
        return new KubeTokens(review -> client.post(PATH, "application/json", review), audience);
    }

    @Override
    public Reviewed review(String token) throws IOException, InterruptedException {
        return read(exchange.post(request(token)));
    }

    private byte[] request(String token) throws IOException {
        ObjectNode review = JSON.createObjectNode().put("apiVersion", VERSION).put("kind", "TokenReview");
        review.putObject("spec").put("token", token).putArray("audiences").add(audience);
        return JSON.writeValueAsBytes(review);
    }

    private Reviewed read(byte[] answer) throws IOException {
        JsonNode review = JSON.readTree(answer);
        if (!review.isObject()) {
            throw new IOException("the API server's answer is not a JSON object");
        }
        JsonNode status = review.path("status");
        String user = status.path("user").path("username").textValue();
        boolean isForThisServer = status.path("authenticated").booleanValue()
                && texts(status.path("audiences")).contains(audience);
        return isForThisServer && user != null && !user.isEmpty()
                ? new Reviewed(user, texts(status.path("user").path("groups")))
                : new Reviewed(null, List.of());
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        for (JsonNode each : list) {
            if (each.isTextual()) {
                texts.add(each.textValue());
            }
        }
        return texts;
    }
}

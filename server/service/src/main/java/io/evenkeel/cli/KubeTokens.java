package io.evenkeel.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.access.TokenReviewer;
import io.evenkeel.kube.SharedClient;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import java.io.ByteArrayOutputStream;
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

    private static final JsonFactory JSON = new JsonFactory();

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
        return new KubeTokens(
                review -> {
                    try {
                        return client.post(PATH, "application/json", review);
                    } catch (ConfigurationException e) {
                        throw new IOException(e.getMessage(), e);
                    }
                },
                audience);
    }

    @Override
    public Reviewed review(String token) throws IOException, InterruptedException {
        return read(exchange.post(request(token)));
    }

    private byte[] request(String token) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("apiVersion", VERSION);
            json.writeStringField("kind", "TokenReview");
            json.writeObjectFieldStart("spec");
            json.writeStringField("token", token);
            json.writeArrayFieldStart("audiences");
            json.writeString(audience);
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }

    private Reviewed read(byte[] answer) throws IOException {
        boolean authenticated = false;
        String user = null;
        List<String> groups = List.of();
        List<String> audiences = List.of();
        try (JsonParser json = JSON.createParser(answer)) {
            if (enter(json, "status")) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String field = json.currentName();
                    json.nextToken();
                    switch (field) {
                        case "authenticated" -> authenticated = json.currentToken() == JsonToken.VALUE_TRUE;
                        case "audiences" -> audiences = texts(json);
                        case "user" -> {
                            while (json.nextToken() == JsonToken.FIELD_NAME) {
                                String part = json.currentName();
                                json.nextToken();
                                if (part.equals("username")) {
                                    user = json.getValueAsString();
                                } else if (part.equals("groups")) {
                                    groups = texts(json);
                                } else {
                                    json.skipChildren();
                                }
                            }
                        }
                        default -> json.skipChildren();
                    }
                }
            }
        }
        boolean isForThisServer = authenticated && audiences.contains(audience);
        return new Reviewed(isForThisServer && user != null && !user.isEmpty() ? user : null, groups);
    }

    /** Moves into the object in a field of the document; returns false if there is none. */
    private static boolean enter(JsonParser json, String wanted) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new IOException("the API server's answer is not a JSON object");
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean found = json.currentName().equals(wanted);
            if (json.nextToken() == JsonToken.START_OBJECT && found) {
                return true;
            }
            json.skipChildren();
        }
        return false;
    }

    private static List<String> texts(JsonParser json) throws IOException {
        List<String> texts = new ArrayList<>();
        if (json.currentToken() == JsonToken.START_ARRAY) {
            while (json.nextToken() != JsonToken.END_ARRAY) {
                String text = json.getValueAsString();
                if (text != null) {
                    texts.add(text);
                }
            }
        }
        return texts;
    }
}

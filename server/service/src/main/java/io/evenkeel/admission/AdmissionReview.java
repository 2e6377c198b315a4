package io.evenkeel.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.objects.Quotes;
import io.evenkeel.v1.Pod;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An AdmissionReview of {@code admission.k8s.io/v1} that asks about an object. Not thread-safe. */
final class AdmissionReview {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String VERSION = "admission.k8s.io/v1";
    private static final String KIND = "AdmissionReview";

    /** The longest warning that Kubernetes recommends. */
    private static final int MAX_LENGTH = 120;

    private static final String CUT = "...";

    /** An API server drops warnings of a response beyond a total length. */
    private static final int MAX_WARNINGS = 16;

    private final JsonNode request;

    private AdmissionReview(JsonNode request) {
        this.request = request;
    }

    static AdmissionReview read(byte[] json) throws MalformedReviewException {
        JsonNode review;
        try {
            review = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new MalformedReviewException("the body must be JSON: " + Quotes.shortened(e.getOriginalMessage()));
        } catch (IOException e) {
            throw new MalformedReviewException("the body must be JSON: " + Quotes.shortened(String.valueOf(e)));
        }
        require(review, "apiVersion", VERSION);
        require(review, "kind", KIND);
        JsonNode request = review.path("request");
        if (!request.path("uid").isTextual()) {
            throw new MalformedReviewException("request.uid must be a string");
        }
        return new AdmissionReview(request);
    }

    private static void require(JsonNode review, String field, String value) throws MalformedReviewException {
        String given = review.path(field).asText();
        if (!given.equals(value)) {
            throw new MalformedReviewException(field + " must be " + value + ", was " + Quotes.quoted(given));
        }
    }

    /**
     * The pod that the object is or will create; null if it creates none, or if it is about to be deleted, belongs to a
     * controller, whose owner has received the warnings, or is only a part, such as a status.
     *
     * @throws IOException if the object cannot be read
     */
    @Nullable
    Pod pod() throws IOException {
        JsonNode object = request.path("object");
        if (!object.isObject() || !request.path("subResource").asText().isEmpty() || isControlled(object)) {
            return null;
        }
        List<PodManifest> found = new ArrayList<>();
        PodManifest.forEachOfServer(
                new ByteArrayInputStream(MAPPER.writeValueAsBytes(object)), "the object", found::add);
        return found.isEmpty()
                ? null
                : found.get(0).orIn(request.path("namespace").asText()).pod();
    }

    private static boolean isControlled(JsonNode object) {
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                return true;
            }
        }
        return false;
    }

    /** The response that allows the request. */
    byte[] allowed(List<String> warnings) {
        ObjectNode review = MAPPER.createObjectNode().put("apiVersion", VERSION).put("kind", KIND);
        ObjectNode response = review.putObject("response");
        response.put("uid", request.path("uid").asText()).put("allowed", true);
        if (!warnings.isEmpty()) {
            ArrayNode lines = response.putArray("warnings");
            warnings.stream().limit(MAX_WARNINGS).map(AdmissionReview::line).forEach(lines::add);
        }
        try {
            return MAPPER.writeValueAsBytes(review);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("strings are always written", e);
        }
    }

    /** The warning in as many characters as fit in an HTTP header. Labels have only these characters anyway. */
    private static String line(String warning) {
        String line = warning.replaceAll("[^\\x20-\\x7e]", "?");
        return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH - CUT.length()) + CUT;
    }
}

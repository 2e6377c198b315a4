package io.evenkeel.provisioning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;

/**
 * A ProvisioningRequest, with the types and reasons of conditions that cluster-autoscaler gives its class
 * check-capacity.
 *
 * @param object as the API server sent it; not to be modified
 */
record ProvisioningRequest(ObjectNode object) {
    static final String ACCEPTED = "Accepted";
    static final String PROVISIONED = "Provisioned";
    static final String FAILED = "Failed";
    static final String BOOKING_EXPIRED = "BookingExpired";

    /** The order in which requests are judged: the oldest first. It is the same in each replica. */
    static final Comparator<ProvisioningRequest> ORDER =
            Comparator.comparing(ProvisioningRequest::created).thenComparing(ProvisioningRequest::toString);

    /** A request that finds no room for this long fails. */
    private static final Duration LONGEST = Duration.ofDays(7);

    private static final Duration FIRST_RETRY = Duration.ofMinutes(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(10);

    /** The most characters that the API server accepts in the message of a condition. */
    private static final int MAX_MESSAGE = 32_768;

    private static final String SINCE = "lastTransitionTime";

    String namespace() {
        return metadata("namespace");
    }

    String name() {
        return metadata("name");
    }

    private String metadata(String field) {
        return object.path("metadata").path(field).asText();
    }

    String provisioningClass() {
        return object.path("spec").path("provisioningClassName").asText();
    }

    /** The array of podSets; each has the name of a PodTemplate in the same namespace, and a count. */
    JsonNode podSets() {
        return object.path("spec").path("podSets");
    }

    /** How many pods it asks for. */
    long podCount() {
        long count = 0;
        for (JsonNode set : podSets()) {
            count += set.path("count").asInt();
        }
        return count;
    }

    Instant created() {
        return time(metadata("creationTimestamp"), Instant.EPOCH);
    }

    private static Instant time(String text, Instant otherwise) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return otherwise;
        }
    }

    /** Whether the request fails if its pods do not fit at the first try. */
    boolean isTriedOnce() {
        return object.path("spec").path("parameters").path("noRetry").asText().equals("true");
    }

    /** Whether there was room, and the booking has not ended. */
    boolean isBooked() {
        return !isEnded() && has(PROVISIONED);
    }

    /** Whether there was no room yet. */
    boolean isPending() {
        return !isEnded() && !has(PROVISIONED);
    }

    private boolean isEnded() {
        return has(FAILED) || has(BOOKING_EXPIRED);
    }

    /** Whether a condition is true. */
    boolean has(String type) {
        return condition(type).path("status").asText().equals("True");
    }

    private JsonNode condition(String type) {
        for (JsonNode each : object.path("status").path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each;
            }
        }
        return object.path("status").path("none");
    }

    /** When its room was found, or its pods last did not fit. */
    Instant judged() {
        return time(condition(PROVISIONED).path(SINCE).asText(), created());
    }

    /** When a pending request fails because it has waited for too long. */
    Instant expires() {
        return created().plus(LONGEST);
    }

    /**
     * When a pending request is tried next: at once, then after 1 minute, then after waits that double, up to 10
     * minutes. A wait is the age of the request at the last try, so that each replica computes the same.
     */
    Instant nextTry() {
        if (condition(PROVISIONED).isMissingNode()) {
            return created();
        }
        Duration age = Duration.between(created(), judged());
        Duration wait = age.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : age;
        return judged().plus(wait.compareTo(FIRST_RETRY) < 0 ? FIRST_RETRY : wait);
    }

    /** The request with a condition that is added or replaced. A message that is too long is cut. */
    ProvisioningRequest with(String type, boolean isTrue, String reason, String message, Instant now) {
        ObjectNode changed = object.deepCopy();
        ArrayNode conditions = changed.withObject("/status").withArray("/conditions");
        for (int i = conditions.size() - 1; i >= 0; i--) {
            if (conditions.path(i).path("type").asText().equals(type)) {
                conditions.remove(i);
            }
        }
        conditions
                .addObject()
                .put("type", type)
                .put("status", isTrue ? "True" : "False")
                .put(
                        "observedGeneration",
                        object.path("metadata").path("generation").asLong())
                .put(SINCE, now.truncatedTo(ChronoUnit.SECONDS).toString())
                .put("reason", reason)
                .put(
                        "message",
                        message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE - 3) + "...");
        return new ProvisioningRequest(changed);
    }

    /** {@code shop/batch}. */
    @Override
    public String toString() {
        return namespace() + "/" + name();
    }
}

package io.evenkeel.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProvisioningRequestTest {
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

    private static ProvisioningRequest request(String name, Instant created) {
        String json = """
            {"metadata": {"namespace": "shop", "name": "%s", "generation": 3, "creationTimestamp": "%s"},
             "status": {"provisioningClassDetails": {"kept": "yes"}}}
            """.formatted(name, created);
        try {
            return new ProvisioningRequest((ObjectNode) new ObjectMapper().readTree(json));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static ProvisioningRequest refused(Duration age) {
        return request("r", CREATED)
                .with(ProvisioningRequest.PROVISIONED, false, "CapacityIsNotFound", "", CREATED.plus(age));
    }

    @ParameterizedTest
    @CsvSource({"PT1S, PT1M1S", "PT61S, PT122S", "PT4M, PT8M", "PT16M, PT26M", "PT60M, PT70M"})
    void nextTry_doublesTheAge_byOneToTenMinutes(Duration age, Duration next) {
        assertEquals(CREATED.plus(next), refused(age).nextTry());
    }

    @Test
    void newRequest_isTriedAtOnce() {
        assertEquals(CREATED, request("r", CREATED).nextTry());
        assertTrue(request("r", CREATED).isPending());
    }

    @Test
    void condition_isReplaced_andTheRestOfTheStatusIsKept() {
        ProvisioningRequest booked = refused(Duration.ofMinutes(1))
                .with(ProvisioningRequest.PROVISIONED, true, "CapacityIsFound", "found", CREATED.plusMillis(1999));
        assertTrue(booked.isBooked());
        assertFalse(booked.isPending());
        assertEquals(CREATED.plusSeconds(1), booked.judged());
        assertEquals(
                "{\"provisioningClassDetails\":{\"kept\":\"yes\"},\"conditions\":[{\"type\":\"Provisioned\","
                        + "\"status\":\"True\",\"observedGeneration\":3,"
                        + "\"lastTransitionTime\":\"2026-01-01T00:00:01Z\",\"reason\":\"CapacityIsFound\","
                        + "\"message\":\"found\"}]}",
                booked.object().path("status").toString());
        ProvisioningRequest expired = booked.with(ProvisioningRequest.BOOKING_EXPIRED, true, "r", "", CREATED);
        assertFalse(expired.isBooked());
        assertFalse(expired.isPending());
    }

    @Test
    void longMessage_isCut_asTheApiServerRequires() {
        ProvisioningRequest changed =
                request("r", CREATED).with(ProvisioningRequest.FAILED, true, "r", "x".repeat(32_769), CREATED);
        String message = changed.object().at("/status/conditions/0/message").asText();
        assertEquals("x".repeat(32_765) + "...", message);
    }

    @Test
    void failedRequest_isNeitherPendingNorBooked() {
        ProvisioningRequest failed = request("r", CREATED).with(ProvisioningRequest.FAILED, true, "r", "", CREATED);
        assertFalse(failed.isPending());
        assertFalse(failed.isBooked());
    }

    @Test
    void order_isByAgeAndName() {
        assertEquals(
                "shop/c shop/a shop/b",
                String.join(
                        " ",
                        Stream.of(request("b", CREATED), request("a", CREATED), request("c", CREATED.minusSeconds(1)))
                                .sorted(ProvisioningRequest.ORDER)
                                .map(ProvisioningRequest::toString)
                                .toList()));
    }
}

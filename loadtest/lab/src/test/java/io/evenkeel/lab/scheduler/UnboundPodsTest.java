package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests the descriptions of pods that were not bound. */
final class UnboundPodsTest {
    @Test
    void podThatWaits_isToldWithWhatTheSchedulerSays() throws IOException {
        assertEquals("is pending: 0/3 nodes are available (since 2026-01-02T03:04:05Z)", told("""
                {"status": {"conditions": [
                    {"type": "Other", "message": "no"},
                    {"type": "PodScheduled", "message": "0/3 nodes are available", "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}"""));
        assertEquals("is pending, never tried", told("{\"status\": {\"phase\": \"Pending\"}}"));
    }

    @Test
    void podThatIsDeletedOrBoundSince_isToldSo() throws IOException {
        assertEquals(
                "was deleted",
                told(
                        "{\"metadata\": {\"deletionTimestamp\": \"2026-01-02T03:04:05Z\"}, \"spec\": {\"nodeName\": \"a\"}}"));
        assertEquals("was bound after that", told("{\"spec\": {\"nodeName\": \"a\"}}"));
    }

    private static String told(String json) throws IOException {
        return UnboundPods.told(new ObjectMapper().readTree(json));
    }
}

package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests the descriptions of pods that were not bound. */
final class UnboundPodsTest {
    @Test
    void podThatWaits_isReportedWithWhatTheSchedulerSays() throws IOException {
        assertEquals("is pending: 0/3 nodes are available (since 2026-01-02T03:04:05Z)", describe("""
                {"status": {"conditions": [
                    {"type": "Other", "message": "no"},
                    {"type": "PodScheduled", "message": "0/3 nodes are available", "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}"""));
        assertEquals("is pending, never tried", describe("{\"status\": {\"phase\": \"Pending\"}}"));
    }

    @Test
    void podThatIsDeletedOrBoundSince_isReportedSo() throws IOException {
        assertEquals(
                "was deleted",
                describe(
                        "{\"metadata\": {\"deletionTimestamp\": \"2026-01-02T03:04:05Z\"}, \"spec\": {\"nodeName\": \"a\"}}"));
        assertEquals("was bound after that", describe("{\"spec\": {\"nodeName\": \"a\"}}"));
    }

    private static String describe(String json) throws IOException {
        return UnboundPods.describe(new ObjectMapper().readTree(json));
    }
}

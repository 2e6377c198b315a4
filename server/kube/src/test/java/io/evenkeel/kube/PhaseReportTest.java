package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.v1.Refusal;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PhaseReportTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final Instance instance = new Instance(InstanceOptions.standard());
    private final KindWriter writer =
            new KindWriter(ObjectKind.POD, instance.clusterState(), "test", 7, refusal -> {}, FedObjects.NOBODY);
    private final List<String> told = new ArrayList<>();
    private boolean fails;

    private final PhaseReport report =
            new PhaseReport(ObjectKind.POD, Clock.fixed(NOW, ZoneOffset.UTC), writer, new KubeFeedListener() {
                @Override
                public void changed(KindState state) {
                    assertEquals(ObjectKind.POD, state.kind());
                    assertEquals(NOW, state.since());
                    told.add(state.phase() + " " + state.problem());
                    if (fails) {
                        throw new IllegalStateException("this cannot be told");
                    }
                }

                @Override
                public void refused(ObjectKind kind, Refusal refusal) {}
            });

    @AfterEach
    void close() {
        writer.close();
        instance.close();
    }

    private boolean fed() {
        return instance.clusterState().feed(ObjectKind.POD).since() != null;
    }

    @Test
    void changes_areReportedOnce_andTheProblemStaysUntilAWatchIsOpen() {
        report.connecting();
        report.connecting();
        report.waiting("down");
        report.waiting("down");
        report.waiting("still down");
        report.connecting();
        report.listing();
        assertFalse(report.isWatching());
        report.watching();
        report.watching();
        assertTrue(report.isWatching());
        report.waiting("down");
        assertFalse(report.isWatching());
        report.stopped();
        report.watching();
        report.waiting("down again");
        assertEquals(
                List.of(
                        "CONNECTING null",
                        "WAITING down",
                        "WAITING still down",
                        "CONNECTING still down",
                        "LISTING still down",
                        "WATCHING null",
                        "WAITING down",
                        "STOPPED down"),
                told);
    }

    @Test
    void status_saysWhetherTheServerAnswers() {
        writer.beginSnapshot();
        report.listing();
        assertTrue(fed());
        report.waiting("down");
        assertFalse(fed());
        report.connecting();
        assertFalse(fed());
        report.watching();
        assertTrue(fed());
    }

    @Test
    void whatAListenerFailsToTake_isNotReportedAgain() {
        fails = true;
        assertThrows(IllegalStateException.class, report::connecting);
        fails = false;
        report.connecting();
        assertEquals(List.of("CONNECTING null"), told);
    }
}

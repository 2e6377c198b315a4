package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.engine.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private final StringWriter err = new StringWriter();

    @Test
    void stepThatTakesLong_isPrinted_andOneThatHasEndedIsNot() throws InterruptedException {
        try (Progress progress = new Progress("evenkeel estimate", new PrintWriter(err))) {
            progress.begin("reading the cluster");
            progress.begin("searching");
            Await.until(() -> err.toString().endsWith(System.lineSeparator()));
            progress.end();
        }
        assertEquals("evenkeel estimate: searching ..." + System.lineSeparator(), err.toString());
    }
}

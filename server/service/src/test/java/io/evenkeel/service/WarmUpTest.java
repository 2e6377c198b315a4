package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the warm-up ends, and that nothing in it fails. */
@Timeout(60)
final class WarmUpTest {
    private final List<String> said = new ArrayList<>();
    private final Logger logger = Logger.getLogger(WarmUp.class.getName());

    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            said.add(line.getMessage() + ": " + line.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @Test
    void warmUp_endsWhenItsTimeIsOver_withoutAComplaint() throws Exception {
        logger.addHandler(listener);
        try {
            WarmUp.begin(Duration.ofMillis(500), () -> false).await();
        } finally {
            logger.removeHandler(listener);
        }
        assertEquals(List.of(), said);
    }

    @Test
    void warmUp_endsWhenItIsTold() throws Exception {
        WarmUp warmUp = WarmUp.begin(Duration.ofHours(1), () -> true);
        warmUp.end();
        warmUp.await();
    }
}

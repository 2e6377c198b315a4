package io.evenkeel.loadtest.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.loadtest.CommandRun;
import org.junit.jupiter.api.Test;

final class OverloadCommandTest {
    @Test
    void wrongNumbers_areRejected() {
        assertEquals(2, CommandRun.of("bench", "overload", "--rounds", "0").exitCode());
        assertEquals(2, CommandRun.of("bench", "overload", "--seconds", "0").exitCode());
    }
}

package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.ErrorReason;
import org.junit.jupiter.api.Test;

final class WaitingRoomTest {
    private final WaitingRoom room =
            new WaitingRoom(Limits.builder().waitingCalls(6).waitingBytes(100).build());

    private String refusal(String caller, long bytes) {
        RequestException refused = assertThrows(RequestException.class, () -> room.enter(caller, bytes));
        assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY, refused.reason());
        return refused.getMessage();
    }

    @Test
    void oneCaller_takesAtMostHalfOfTheBytes() {
        room.enter("a", 30);
        room.enter("a", 20);
        assertEquals(
                "the requests of calls of this connection that wait for a newer state must have at most 50 bytes in total,"
                        + " and this one exceeds what is left; try again later",
                refusal("a", 1));
        room.enter("a", 0);
        room.enter("b", 49);
        assertEquals(
                "the requests of calls that wait for a newer state must have at most 100 bytes in total, and this one"
                        + " exceeds what is left; try again later",
                refusal("c", 2));
        room.enter("c", 1);
    }

    @Test
    void callThatWaitsNoMore_takesNoRoom() {
        room.enter("a", 50);
        room.enter("b", 50);
        room.leave("a", 50);
        room.enter("a", 20);
        room.enter("c", 30);
        room.leave("a", 20);
        room.leave("b", 50);
        room.leave("c", 30);
        assertDoesNotThrow(() -> room.enter("a", 50));
    }

    @Test
    void requestAlone_mayBeAsLargeAsAny() {
        room.enter("a", 1_000);
        assertTrue(refusal("a", 1).contains("that wait for a newer state"));
        assertTrue(refusal("b", 1).contains("that wait for a newer state"));
        room.leave("a", 1_000);
        room.enter("b", 1);
        assertTrue(refusal("a", 1_000).contains("that wait for a newer state"));
    }

    @Test
    void refusedCall_takesNoRoom() {
        room.enter("a", 50);
        assertTrue(refusal("a", 50).contains("of this connection"));
        room.enter("b", 50);
        room.leave("a", 50);
        assertDoesNotThrow(() -> room.enter("a", 50));
    }

    @Test
    void calls_areCountedToo() {
        for (int i = 0; i < 3; i++) {
            room.enter("a", 1);
        }
        assertEquals(
                "the server already has 3 calls of this connection waiting for a newer state; try again later",
                refusal("a", 1));
        for (int i = 0; i < 3; i++) {
            room.enter("b", 1);
        }
        assertEquals("the server already has 6 calls waiting for a newer state; try again later", refusal("c", 1));
    }
}

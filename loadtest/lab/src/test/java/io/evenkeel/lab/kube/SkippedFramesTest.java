package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class SkippedFramesTest {
    private static final byte[] POD = "p".repeat(2_000).getBytes(StandardCharsets.UTF_8);
    private static final byte[] SMALL = "service".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = "BOOKMARK k8s.io/initial-events-end: true".getBytes(StandardCharsets.UTF_8);

    @Test
    void framesAreCounted_andTheEndIsFound_howeverTheBytesAreCut() {
        byte[] all = frames(POD, SMALL, new byte[300], POD, END, SMALL);
        int endOfList = all.length - SMALL.length - Integer.BYTES;
        for (int part = 1; part <= all.length; part++) {
            SkippedFrames frames = new SkippedFrames();
            for (int from = 0; from < all.length; from += part) {
                int length = Math.min(part, all.length - from);
                frames.skip(ByteBuffer.wrap(all, from, length));
                assertEquals(from + length >= endOfList, frames.listed(), "parts of " + part + " at " + from);
            }
            assertEquals(6, frames.count(), "parts of " + part);
        }
    }

    @Test
    void listGoesOn_untilItsEndHasCome() {
        SkippedFrames frames = new SkippedFrames();
        frames.skip(ByteBuffer.wrap(frames(POD, SMALL, POD)));
        assertFalse(frames.listed());
        frames.skip(ByteBuffer.wrap(frames(END)));
        assertTrue(frames.listed());
        assertEquals(4, frames.count());
    }

    private static byte[] frames(byte[]... events) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] event : events) {
            out.writeBytes(
                    ByteBuffer.allocate(Integer.BYTES).putInt(event.length).array());
            out.writeBytes(event);
        }
        return out.toByteArray();
    }
}

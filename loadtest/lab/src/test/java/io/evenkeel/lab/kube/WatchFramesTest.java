package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WatchFramesTest {
    private static final byte[] POD = "p".repeat(2_000).getBytes(StandardCharsets.UTF_8);
    private static final byte[] SMALL = "service".getBytes(StandardCharsets.UTF_8);

    @Test
    void framesAreCounted_andSmallOnesKept_howeverTheBytesAreCut() throws IOException {
        byte[] all = frames(POD, SMALL, new byte[300], POD, SMALL);
        for (int part = 1; part <= all.length; part++) {
            List<byte[]> kept = new ArrayList<>();
            WatchFrames frames = new WatchFrames(300, kept::add);
            for (int from = 0; from < all.length; from += part) {
                frames.read(ByteBuffer.wrap(all, from, Math.min(part, all.length - from)));
            }
            assertEquals(5, frames.count(), "parts of " + part);
            assertEquals(3, kept.size(), "parts of " + part);
            assertArrayEquals(SMALL, kept.get(0));
            assertArrayEquals(new byte[300], kept.get(1));
            assertArrayEquals(SMALL, kept.get(2));
        }
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

package io.evenkeel.objects;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;

/** Changes protobuf bytes at random, reproducibly for a seed. Some results still parse, others do not. */
public final class WireMutations {
    private static final int MAX_CHANGES = 2;
    private static final byte[][] FRAGMENTS = {
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1},
        {
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            (byte) 0x80,
            1
        },
        {0x0b, 0x0c},
        {0x0b, 0x14},
        {0x0c},
        {0x7a, 2, (byte) 0xc3, (byte) 0xa4},
        {0x0a, 2, (byte) 0xc3, 0x28},
        {0x0a, 0},
        {0x10, 1},
        {0},
        {0x0e},
    };

    private WireMutations() {}

    /** Returns a changed copy. */
    public static byte[] mutated(byte[] bytes, Random random) {
        byte[] changed = bytes;
        for (int left = 1 + random.nextInt(MAX_CHANGES); left > 0 && changed.length > 0; left--) {
            changed = once(changed, random);
        }
        return changed;
    }

    private static byte[] once(byte[] bytes, Random random) {
        int at = random.nextInt(bytes.length);
        int length = Math.min(bytes.length - at, 1 + random.nextInt(16));
        return switch (random.nextInt(12)) {
            case 0 -> Arrays.copyOf(bytes, at);
            case 1 -> spliced(bytes, at, at + length, new byte[0]);
            case 2 -> spliced(bytes, at, at, Arrays.copyOfRange(bytes, at, at + length));
            case 3 -> spliced(bytes, at, at, FRAGMENTS[random.nextInt(FRAGMENTS.length)]);
            case 4 -> spliced(bytes, at, at + 1, new byte[] {(byte) random.nextInt(256)});
            default -> spliced(bytes, at, at + 1, new byte[] {(byte) (bytes[at] ^ 1 << random.nextInt(8))});
        };
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] instead) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, from);
        out.writeBytes(instead);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }
}

package io.evenkeel.engine.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Stores texts as UTF-8 bytes in pages, each found by its address. A text takes its bytes and a short header.
 *
 * <pre>
 *   [ flags and length, 2 bytes | uses, 4 bytes where counted | length, 4 bytes where long | UTF-8 bytes ]
 *       in units of 4 bytes
 * </pre>
 *
 * A copy of a store shares its pages until either changes one of them. {@code isShared} says of each page whether
 * another store may have it, so that it must be copied before it is changed.
 *
 * <p>A counted text holds the number of its uses; its owner removes it when that is 0. A text that is not counted has
 * one owner.
 */
final class TextStore {
    private static final int UNIT = 4;
    private static final int COUNTED = 0x8000;
    private static final int LONG = 0x4000;
    private static final int LENGTH = LONG - 1;
    private static final int LONG_FROM = 1_000;
    private static final int HEADER = 2;
    private static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final PagedSpace space;
    private byte[][] pages = new byte[4][];
    private boolean[] isShared = new boolean[4];

    TextStore(int maxPages) {
        space = new PagedSpace("texts", maxPages);
    }

    /** A copy. */
    TextStore(TextStore other) {
        space = new PagedSpace(other.space);
        pages = other.pages.clone();
        Arrays.fill(other.isShared, true);
        isShared = other.isShared.clone();
    }

    /** Stores the bytes of {@code text} from {@code from} up to {@code to}; returns their address. */
    int add(byte[] text, int from, int to, boolean counted) {
        int length = to - from;
        int flags = (counted ? COUNTED : 0) | (length >= LONG_FROM ? LONG : length);
        int start = start(flags);
        int units = units(start + length);
        int at = space.take(units);
        byte[] page = pageFor(at, units);
        int offset = offset(at);
        SHORTS.set(page, offset, (short) flags);
        if (counted) {
            INTS.set(page, offset + HEADER, 0);
        }
        if ((flags & LONG) != 0) {
            INTS.set(page, offset + start - Integer.BYTES, length);
        }
        System.arraycopy(text, from, page, offset + start, length);
        return at;
    }

    void drop(int at) {
        int flags = flags(at);
        int units = units(start(flags) + length(at, flags));
        space.give(at, units);
        if (PagedSpace.hasOwnPage(units)) {
            pages[PagedSpace.page(at)] = null;
            isShared[PagedSpace.page(at)] = false;
        }
    }

    String get(int at) {
        int flags = flags(at);
        return new String(page(at), offset(at) + start(flags), length(at, flags), StandardCharsets.UTF_8);
    }

    byte[] bytes(int at) {
        int flags = flags(at);
        int begin = offset(at) + start(flags);
        return Arrays.copyOfRange(page(at), begin, begin + length(at, flags));
    }

    boolean is(int at, byte[] text, int from, int to) {
        int flags = flags(at);
        int begin = offset(at) + start(flags);
        return Arrays.equals(page(at), begin, begin + length(at, flags), text, from, to);
    }

    /** The hash of a stored text. */
    int hash(int at) {
        int flags = flags(at);
        int begin = offset(at) + start(flags);
        return KeyedHash.of(page(at), begin, begin + length(at, flags));
    }

    /** Reads the memory of a text, so that the processor has it in its cache. The result has no meaning. */
    int fetch(int at) {
        return flags(at);
    }

    boolean isCounted(int at) {
        return (flags(at) & COUNTED) != 0;
    }

    /** How many uses a counted text has. */
    int uses(int at) {
        return (int) INTS.get(page(at), offset(at) + HEADER);
    }

    /** Adds a use of a counted text. */
    void retain(int at) {
        byte[] page = ownPage(PagedSpace.page(at));
        int uses = offset(at) + HEADER;
        INTS.set(page, uses, (int) INTS.get(page, uses) + 1);
    }

    /** Ends a use of a counted text; returns whether it was the last one. */
    boolean release(int at) {
        byte[] page = ownPage(PagedSpace.page(at));
        int uses = offset(at) + HEADER;
        int left = (int) INTS.get(page, uses) - 1;
        INTS.set(page, uses, left);
        return left == 0;
    }

    private static int start(int flags) {
        return HEADER + ((flags & COUNTED) != 0 ? Integer.BYTES : 0) + ((flags & LONG) != 0 ? Integer.BYTES : 0);
    }

    private static int units(int bytes) {
        return (bytes + UNIT - 1) / UNIT;
    }

    private int length(int at, int flags) {
        return (flags & LONG) == 0
                ? flags & LENGTH
                : (int) INTS.get(page(at), offset(at) + start(flags) - Integer.BYTES);
    }

    private int flags(int at) {
        return (short) SHORTS.get(page(at), offset(at)) & 0xFFFF;
    }

    /** A page that this store may change. */
    private byte[] ownPage(int number) {
        if (isShared[number]) {
            pages[number] = pages[number].clone();
            isShared[number] = false;
        }
        return pages[number];
    }

    private byte[] page(int at) {
        return pages[PagedSpace.page(at)];
    }

    private static int offset(int at) {
        return PagedSpace.unit(at) * UNIT;
    }

    /** The page of a range that was just allocated; created or lengthened if needed. */
    private byte[] pageFor(int at, int units) {
        int number = PagedSpace.page(at);
        if (number >= pages.length) {
            pages = Arrays.copyOf(pages, number * 2);
            isShared = Arrays.copyOf(isShared, pages.length);
        }
        byte @Nullable [] page = pages[number];
        int length = PagedSpace.length(at, units, page == null ? 0 : page.length / UNIT) * UNIT;
        if (page == null || page.length < length) {
            pages[number] = page == null ? new byte[length] : Arrays.copyOf(page, length);
            isShared[number] = false;
        }
        return ownPage(number);
    }
}

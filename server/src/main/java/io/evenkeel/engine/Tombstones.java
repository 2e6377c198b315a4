package io.evenkeel.engine;

import java.util.Arrays;

/**
 * The UIDs deleted last, with the newest resourceVersion known of each, so that a late event does not bring one back. Bounded; the oldest go first.
 *
 * <pre>
 *   ring: [ … | high | low | version | state | … ]    the next one goes to {@code next}, where the oldest stood
 *   state                                            EMPTY, CANONICAL (128 bits) or OPAQUE (low is the text's id in the string table)
 * </pre>
 */
final class Tombstones {
    private static final int NONE = IdTable.NONE;
    private static final byte EMPTY = 0;
    private static final byte CANONICAL = 1;
    private static final byte OPAQUE = 2;

    private final int limit;
    private final StringTable strings;
    private final Table table = new Table();
    private long[] high;
    private long[] low;
    private long[] version;
    private byte[] state;
    private int next;

    Tombstones(int limit, StringTable strings) {
        this.limit = limit;
        this.strings = strings;
        int length = Math.min(limit, 64);
        high = new long[length];
        low = new long[length];
        version = new long[length];
        state = new byte[length];
    }

    /** Notes a deletion; of several versions told of one UID the newest stays. */
    void bury(Uid uid, long ofVersion) {
        if (limit == 0) {
            return;
        }
        long newest = ofVersion;
        int known = find(uid);
        if (known != NONE) {
            newest = Long.compareUnsigned(version[known], ofVersion) > 0 ? version[known] : ofVersion;
            clear(known);
        }
        if (next == state.length) {
            if (next < limit) {
                grow(Math.min(limit, next * 2));
            } else {
                next = 0;
            }
        }
        int at = next++;
        if (state[at] != EMPTY) {
            clear(at);
        }
        high[at] = uid.isOpaque() ? 0 : uid.high();
        low[at] = uid.isOpaque() ? uid.acquire(strings) : uid.low();
        state[at] = uid.isOpaque() ? OPAQUE : CANONICAL;
        version[at] = newest;
        table.insert(at, table.hashOf(at));
    }

    /** Whether an object told of in this way and at this version (0 where unknown) may (again) be. A UID that returns is no longer buried. */
    boolean admits(Uid uid, Change change, long ofVersion) {
        int buried = find(uid);
        if (buried == NONE) {
            return true;
        }
        boolean newer = ofVersion == 0 || Long.compareUnsigned(ofVersion, version[buried]) > 0;
        boolean admitted = change == Change.LISTED || change == Change.ADDED && newer;
        if (admitted) {
            clear(buried);
        }
        return admitted;
    }

    boolean holds(Uid uid) {
        return find(uid) != NONE;
    }

    private int find(Uid uid) {
        if (!uid.isOpaque()) {
            return table.find(uid.high(), uid.low(), CANONICAL);
        }
        int text = uid.find(strings);
        return text == StringTable.NONE ? NONE : table.find(0, text, OPAQUE);
    }

    private void clear(int at) {
        table.remove(at);
        if (state[at] == OPAQUE) {
            strings.release((int) low[at]);
        }
        state[at] = EMPTY;
    }

    private void grow(int length) {
        high = Arrays.copyOf(high, length);
        low = Arrays.copyOf(low, length);
        version = Arrays.copyOf(version, length);
        state = Arrays.copyOf(state, length);
    }

    private final class Table extends IdTable {
        @Override
        int hashOf(int at) {
            return Uid.hash(high[at], low[at]);
        }

        int find(long ofHigh, long ofLow, byte ofState) {
            int hash = Uid.hash(ofHigh, ofLow);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int at = at(cell);
                if (high[at] == ofHigh && low[at] == ofLow && state[at] == ofState) {
                    return at;
                }
            }
            return NONE;
        }
    }
}

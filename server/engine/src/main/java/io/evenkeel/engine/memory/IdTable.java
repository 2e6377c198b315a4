package io.evenkeel.engine.memory;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * A hash index from content to id, with open addressing, for tables that keep their content elsewhere. It holds only
 * ids, and asks for an id's hash only when it must move that id. It grows one segment at a time, so that no caller
 * waits while a large table doubles.
 *
 * <pre>
 *   spread hash   [ tag: the upper bits, as many as fit a cell | … segment | home: first cell of the search, 11 bits ]
 *
 *   directory     segment by segment number; a segment of depth d is at all 2^(D-d) numbers that end in its d bits
 *   segment       [ size | depth | bits of an id | shared | cell | cell | … ]
 *                    2,048 cells; fewer while it is the only segment;
 *                    shared: 1 if another table may have it, so that it must be copied before it is changed
 *   cell          [ tag: some bits of the hash | distance from the home cell, 5 bits | id + 1 ]
 *       0 is empty
 * </pre>
 *
 * This is extendible hashing. A segment that is 3/4 full is split in two by one more bit of the hash; the directory
 * doubles if it has no such bit yet. Two sparse segments are merged into one. The id takes as many bits as the ids of
 * its segment need, and the tag takes the rest; from 28 bits on, the distance has fewer bits. The caller compares
 * contents only if tag and distance fit, because each comparison is likely to miss the cache. The greatest code of a
 * distance means that distance and all greater ones. Within a segment, probing is linear, and removal shifts entries
 * back, so there are no tombstones.
 *
 * <p>If callers choose the content, the hash must be keyed ({@link KeyedHash}): contents with equal hashes always share
 * a segment, and too many of them would fill it.
 *
 * <p>The subclass does the look-up: {@code for (int cell = first(hash); cell != NONE; cell = next(cell, hash))} visits
 * the cells whose id ({@link #at}) may be the one that is looked for.
 */
public abstract class IdTable {
    public static final int NONE = -1;

    /** Ids are below this. */
    public static final int LIMIT = Integer.MAX_VALUE;

    private static final int MIN_CELLS = 64;
    private static final int SEGMENT_BITS = 11;
    private static final int MAX_CELLS = 1 << SEGMENT_BITS;
    private static final int MAX_DEPTH = Integer.SIZE - 1 - SEGMENT_BITS;
    private static final int MAX_DISTANCE_BITS = 5;

    private static final int SIZE = 0;
    private static final int DEPTH = 1;
    private static final int ID_BITS = 2;
    private static final int SHARED = 3;
    private static final int HEADER = 4;

    private int[][] segments = {segment(MIN_CELLS, 0, bitsFor(MIN_CELLS))};
    private int mask = MIN_CELLS - 1;
    private int size;

    /**
     * Makes this table equal to another one, whose ids have the same content there. Both use the same segments until
     * one of them changes a segment, which is then copied first.
     */
    public final void shareWith(IdTable other) {
        for (int[] segment : other.segments) {
            segment[SHARED] = 1;
        }
        segments = other.segments.clone();
        mask = other.mask;
        size = other.size;
    }

    /** The hash of a live id's content. It need not be spread: this class does that. */
    protected abstract int hashOf(int id);

    /** The first cell that may hold content of that hash, or NONE. */
    public final int first(int hash) {
        int spread = KeyedHash.spread(hash);
        return seek(number(spread), spread & mask, spread);
    }

    /** The next cell after {@code cell} that may hold content of that hash, or NONE. */
    protected final int next(int cell, int hash) {
        return seek(cell >>> SEGMENT_BITS, cell + 1 & mask, KeyedHash.spread(hash));
    }

    /** The id in a cell that {@link #first} or {@link #next} returned. */
    public final int at(int cell) {
        int[] segment = segments[cell >>> SEGMENT_BITS];
        return idIn(segment[HEADER + (cell & MAX_CELLS - 1)], segment[ID_BITS]);
    }

    /**
     * Reads the home cells of the first {@code count} hashes, so that the processor has them in its cache. The result
     * has no meaning.
     */
    public final int fetch(int[] hashes, int count) {
        int[][] table = segments;
        int within = mask;
        int all = 0;
        for (int i = 0; i < count; i++) {
            int spread = KeyedHash.spread(hashes[i]);
            all += table[spread >>> SEGMENT_BITS & table.length - 1][HEADER + (spread & within)];
        }
        return all;
    }

    /** Adds an id whose content has that hash. */
    public final void insert(int id, int hash) {
        int spread = KeyedHash.spread(hash);
        int[] segment = segments[number(spread)];
        while (segment[SIZE] >= (mask + 1 >>> 2) * 3) {
            makeRoom(number(spread));
            segment = segments[number(spread)];
        }
        segment = own(segment, number(spread));
        if (bitsFor(id) > segment[ID_BITS]) {
            widen(segment, bitsFor(id));
        }
        place(segment, id, spread);
        size++;
    }

    public final void remove(int id) {
        int spread = KeyedHash.spread(hashOf(id));
        int number = number(spread);
        int[] segment = own(segments[number], number);
        int hole = cellOf(id, segment, spread);
        if (hole == NONE) {
            throw new IllegalStateException("id " + id + " is not in the table");
        }
        for (int probe = hole + 1 & mask; segment[HEADER + probe] != 0; probe = probe + 1 & mask) {
            int home = homeOf(segment, probe);
            int atHole = hole - home & mask;
            if (atHole < (probe - home & mask)) {
                segment[HEADER + hole] = withDistance(segment[HEADER + probe], atHole, segment[ID_BITS]);
                hole = probe;
            }
        }
        segment[HEADER + hole] = 0;
        segment[SIZE]--;
        size--;
        if (segment[SIZE] < mask + 1 >>> 3) {
            shrink(number, segment);
        }
    }

    /** Whether the table holds a live id. */
    public final boolean has(int id) {
        int spread = KeyedHash.spread(hashOf(id));
        return cellOf(id, segments[number(spread)], spread) != NONE;
    }

    public final int size() {
        return size;
    }

    /** Calls {@code visitor} with each live id. */
    public final void forEachId(IntConsumer visitor) {
        for (int number = 0; number < segments.length; number++) {
            int[] segment = segments[number];
            // A segment appears at several numbers of the directory; it is visited at the first one.
            if (number >>> segment[DEPTH] == 0) {
                for (int id : ids(segment)) {
                    visitor.accept(id);
                }
            }
        }
    }

    /** How many cells the longest search for a live id looks at. Visits all cells. */
    public final int longestSearch() {
        int longest = 0;
        for (int number = 0; number < segments.length; number++) {
            int[] segment = segments[number];
            for (int cell = 0; cell <= mask; cell++) {
                if (segment[HEADER + cell] != 0) {
                    int home = KeyedHash.spread(hashOf(idIn(segment[HEADER + cell], segment[ID_BITS]))) & mask;
                    longest = Math.max(longest, (cell - home & mask) + 1);
                }
            }
        }
        return longest;
    }

    private int seek(int number, int from, int spread) {
        int[] segment = segments[number];
        int within = mask;
        int home = spread & within;
        int idBits = segment[ID_BITS];
        int far = far(idBits);
        int ids = (1 << idBits) - 1;
        int tag = tag(spread, idBits);
        for (int cell = from; ; cell = cell + 1 & within) {
            int content = segment[HEADER + cell];
            if (content == 0) {
                return NONE;
            }
            if ((content & ~ids) == (tag | Math.min(cell - home & within, far) << idBits)) {
                return number << SEGMENT_BITS | cell;
            }
        }
    }

    /** The cell of an id in its segment, or NONE. */
    private int cellOf(int id, int[] segment, int spread) {
        for (int cell = spread & mask; segment[HEADER + cell] != 0; cell = cell + 1 & mask) {
            if (idIn(segment[HEADER + cell], segment[ID_BITS]) == id) {
                return cell;
            }
        }
        return NONE;
    }

    /** The segment, or a copy in its place if another table may have it too. */
    private int[] own(int[] segment, int number) {
        if (segment[SHARED] == 0) {
            return segment;
        }
        int[] copy = segment.clone();
        copy[SHARED] = 0;
        replace(segment, number, copy);
        return copy;
    }

    // ---- growing and shrinking

    private void makeRoom(int number) {
        int[] segment = segments[number];
        if (mask + 1 < MAX_CELLS) {
            mask = 2 * mask + 1;
            replace(segment, number, moved(segment, segment(mask + 1, 0, segment[ID_BITS])));
        } else {
            split(number);
        }
    }

    private void split(int number) {
        int[] old = segments[number];
        int depth = old[DEPTH];
        int[] ids = ids(old);
        int[] spreads = spreads(ids);
        if (depth == MAX_DEPTH || areAlike(spreads)) {
            throw new CapacityException("at most " + old[SIZE] + " contents of a table may have the same hash");
        }
        int bit = 1 << depth;
        if (bit == segments.length) {
            segments = Arrays.copyOf(segments, 2 * bit);
            System.arraycopy(segments, 0, segments, bit, bit);
        }
        int[] zero = segment(MAX_CELLS, depth + 1, old[ID_BITS]);
        int[] one = segment(MAX_CELLS, depth + 1, old[ID_BITS]);
        for (int i = 0; i < ids.length; i++) {
            place((spreads[i] >>> SEGMENT_BITS & bit) == 0 ? zero : one, ids[i], spreads[i]);
        }
        for (int each = number & bit - 1; each < segments.length; each += bit) {
            segments[each] = (each & bit) == 0 ? zero : one;
        }
    }

    /** Whether all are equal, so that no split can separate them. */
    private static boolean areAlike(int[] spreads) {
        for (int spread : spreads) {
            if (spread != spreads[0]) {
                return false;
            }
        }
        return true;
    }

    /** Halves a table of one segment that has become sparse, or merges a sparse segment with its buddy. */
    private void shrink(int number, int[] segment) {
        int depth = segment[DEPTH];
        if (depth == 0) {
            if (mask + 1 > MIN_CELLS) {
                mask >>>= 1;
                replace(segment, number, moved(segment, segment(mask + 1, 0, segment[ID_BITS])));
            }
            return;
        }
        int[] buddy = segments[number ^ 1 << depth - 1];
        if (buddy[DEPTH] == depth && buddy[SIZE] + segment[SIZE] < MAX_CELLS / 2) {
            int[] both = segment(MAX_CELLS, depth - 1, Math.max(segment[ID_BITS], buddy[ID_BITS]));
            replace(segment, number, moved(buddy, moved(segment, both)));
        }
    }

    /**
     * Replaces {@code old} with {@code by} in the directory. If {@code by} has a smaller depth, it also replaces the
     * buddy of {@code old}.
     */
    private void replace(int[] old, int number, int[] by) {
        int step = 1 << Math.min(old[DEPTH], by[DEPTH]);
        for (int each = number & step - 1; each < segments.length; each += step) {
            segments[each] = by;
        }
    }

    /** Copies all ids of a segment into another one, and returns that one. */
    private int[] moved(int[] from, int[] to) {
        int[] ids = ids(from);
        int[] spreads = spreads(ids);
        for (int i = 0; i < ids.length; i++) {
            place(to, ids[i], spreads[i]);
        }
        return to;
    }

    private static int[] ids(int[] segment) {
        int[] ids = new int[segment[SIZE]];
        int count = 0;
        for (int at = HEADER; at < segment.length; at++) {
            if (segment[at] != 0) {
                ids[count++] = idIn(segment[at], segment[ID_BITS]);
            }
        }
        return ids;
    }

    /** A separate loop, because hashing reads contents from memory, and the processor can then overlap many reads. */
    private int[] spreads(int[] ids) {
        int[] spreads = new int[ids.length];
        for (int i = 0; i < ids.length; i++) {
            spreads[i] = KeyedHash.spread(hashOf(ids[i]));
        }
        return spreads;
    }

    /** Gives the ids of a segment more bits. Tags lose their lower bits to them; the upper ones stay valid. */
    private void widen(int[] segment, int toBits) {
        int fromBits = segment[ID_BITS];
        for (int cell = 0; cell <= mask; cell++) {
            int content = segment[HEADER + cell];
            if (content != 0) {
                int distance = cell - homeOf(segment, cell) & mask;
                int id = idIn(content, fromBits);
                segment[HEADER + cell] = tag(content, toBits) | Math.min(distance, far(toBits)) << toBits | id + 1;
            }
        }
        segment[ID_BITS] = toBits;
    }

    // ---- cells

    private void place(int[] segment, int id, int spread) {
        int idBits = segment[ID_BITS];
        int home = spread & mask;
        int cell = home;
        while (segment[HEADER + cell] != 0) {
            cell = cell + 1 & mask;
        }
        segment[HEADER + cell] = tag(spread, idBits) | Math.min(cell - home & mask, far(idBits)) << idBits | id + 1;
        segment[SIZE]++;
    }

    /** The home cell of the content in {@code cell}. */
    private int homeOf(int[] segment, int cell) {
        int content = segment[HEADER + cell];
        int idBits = segment[ID_BITS];
        int distance = content >>> idBits & far(idBits);
        return distance == far(idBits)
                ? KeyedHash.spread(hashOf(idIn(content, idBits))) & mask
                : cell - distance & mask;
    }

    private static int withDistance(int content, int distance, int idBits) {
        int far = far(idBits);
        return content & ~(far << idBits) | Math.min(distance, far) << idBits;
    }

    private int number(int spread) {
        return spread >>> SEGMENT_BITS & segments.length - 1;
    }

    /** The greatest code of a distance. If ids take 28 bits or more, the distance gets the bits that they leave. */
    private static int far(int idBits) {
        return (1 << Math.min(MAX_DISTANCE_BITS, Integer.SIZE - idBits)) - 1;
    }

    /** The bits of the hash that a cell holds above id and distance. */
    private static int tag(int spread, int idBits) {
        // Computed in 64 bits, because the shift may be by 32.
        return (int) (spread & -1L << idBits + MAX_DISTANCE_BITS);
    }

    private static int idIn(int content, int idBits) {
        return (content & (1 << idBits) - 1) - 1;
    }

    /** How many bits {@code id + 1} takes. */
    private static int bitsFor(int id) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(id + 1);
    }

    private static int[] segment(int cells, int depth, int idBits) {
        int[] segment = new int[HEADER + cells];
        segment[DEPTH] = depth;
        segment[ID_BITS] = idBits;
        return segment;
    }
}

package io.evenkeel.engine;

/**
 * An open-addressing index from content to id, for tables that keep their content elsewhere: it holds ids alone and asks for an id's hash only where it must move one.
 *
 * <pre>
 *   cell:  [ tag: some bits of the hash | distance from the cell where the search begins, 5 bits | id + 1 ]      0 is empty
 * </pre>
 *
 * The id has as many bits as the ids need, the tag has what is left. Content is looked at where tag and distance fit, which is seldom for nothing: what a cell stands for is a cache miss away. A
 * distance of 31 stands for that and more. Linear probing; at most 3/4 full; removal shifts back, so there are no tombstones.
 *
 * <p>Look-ups are the subclass's: {@code for (int cell = first(hash); cell != NONE; cell = next(cell, hash))} goes over the cells whose {@link #at} may be it.
 */
abstract class IdTable {
    static final int NONE = -1;

    private static final int LEAST_CELLS = 64;
    private static final int DISTANCE_BITS = 5;
    private static final int FAR = (1 << DISTANCE_BITS) - 1;
    private static final int MOST_ID_BITS = Integer.SIZE - DISTANCE_BITS;

    private int[] cells = new int[LEAST_CELLS];
    private int mask = LEAST_CELLS - 1;
    private int idBits = bitsFor(LEAST_CELLS - 2);
    private int size;

    /** The hash of the content of a live id; spread by this class. */
    abstract int hashOf(int id);

    /** The first cell that may hold content of that hash, or NONE. */
    final int first(int hash) {
        int spread = spread(hash);
        return seek(spread & mask, spread);
    }

    /** The next such cell, or NONE. */
    final int next(int cell, int hash) {
        return seek(cell + 1 & mask, spread(hash));
    }

    /** The id in a cell that {@link #first} or {@link #next} gave. */
    final int at(int cell) {
        return idIn(cells[cell]);
    }

    /** Reads the cells where the searches for so many hashes begin, to have the processor fetch them; what it answers means nothing. */
    final int fetch(int[] hashes, int count) {
        int[] table = cells;
        int within = table.length - 1;
        int all = 0;
        for (int i = 0; i < count; i++) {
            all += table[spread(hashes[i]) & within];
        }
        return all;
    }

    /** Adds an id whose content has that hash. */
    final void insert(int id, int hash) {
        if (++size > (cells.length >>> 2) * 3) {
            rebuild(cells.length * 2, id);
        } else if (bitsFor(id) > idBits) {
            rebuild(cells.length, id);
        }
        place(id, spread(hash));
    }

    final void remove(int id) {
        int hole = cellOf(id);
        for (int probe = hole + 1 & mask; cells[probe] != 0; probe = probe + 1 & mask) {
            int content = cells[probe];
            int distance = content >>> idBits & FAR;
            int home = distance == FAR ? spread(hashOf(idIn(content))) & mask : probe - distance & mask;
            int atHole = hole - home & mask;
            if (atHole < (probe - home & mask)) {
                cells[hole] = content & ~(FAR << idBits) | Math.min(atHole, FAR) << idBits;
                hole = probe;
            }
        }
        cells[hole] = 0;
        size--;
        if (cells.length > LEAST_CELLS && size < cells.length >>> 3) {
            rebuild(cells.length / 2, 0);
        }
    }

    final int size() {
        return size;
    }

    private int seek(int from, int spread) {
        int home = spread & mask;
        int tag = tag(spread);
        int ids = (1 << idBits) - 1;
        for (int cell = from; ; cell = cell + 1 & mask) {
            int content = cells[cell];
            if (content == 0) {
                return NONE;
            }
            if ((content & ~ids) == (tag | Math.min(cell - home & mask, FAR) << idBits)) {
                return cell;
            }
        }
    }

    private int cellOf(int id) {
        int cell = spread(hashOf(id)) & mask;
        while (idIn(cells[cell]) != id) {
            if (cells[cell] == 0) {
                throw new IllegalStateException("id " + id + " is not in the table");
            }
            cell = cell + 1 & mask;
        }
        return cell;
    }

    private void rebuild(int length, int coming) {
        int[] old = cells;
        int oldBits = idBits;
        int greatest = coming;
        for (int content : old) {
            greatest = Math.max(greatest, (content & (1 << oldBits) - 1) - 1);
        }
        idBits = Math.max(bitsFor(greatest), bitsFor(length - 2));
        if (idBits > MOST_ID_BITS) {
            throw new IllegalStateException("ids must have at most " + MOST_ID_BITS + " bits, one is " + greatest);
        }
        cells = new int[length];
        mask = length - 1;
        for (int content : old) {
            if (content != 0) {
                int id = (content & (1 << oldBits) - 1) - 1;
                place(id, spread(hashOf(id)));
            }
        }
    }

    private void place(int id, int spread) {
        int home = spread & mask;
        int cell = home;
        while (cells[cell] != 0) {
            cell = cell + 1 & mask;
        }
        cells[cell] = tag(spread) | Math.min(cell - home & mask, FAR) << idBits | id + 1;
    }

    /** The bits of the hash that stand above id and distance; the low ones say where the search begins. */
    private int tag(int spread) {
        int below = idBits + DISTANCE_BITS;
        return below >= Integer.SIZE ? 0 : spread & -1 << below;
    }

    private int idIn(int content) {
        return (content & (1 << idBits) - 1) - 1;
    }

    /** The bits of {@code id + 1}. */
    private static int bitsFor(int id) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(id + 1);
    }

    private static int spread(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }
}

package io.evenkeel.engine;

import java.util.Arrays;

/**
 * An open-addressing index from content to id, for tables that keep their content in arrays by id: it holds ids alone and asks for an id's hash where it must
 * move it.
 *
 * <pre>
 *   cells: [ id + 1 | 0 | id + 1 | … ]    0 is empty; linear probing; at most 3/4 full; removal shifts back, so there are no tombstones
 * </pre>
 *
 * Look-ups are the subclass's: probe from {@link #first} with {@link #next} until {@link #at} says {@link #NONE}.
 */
abstract class IdTable {
    static final int NONE = -1;

    private int[] cells = new int[64];
    private int mask = 63;
    private int size;

    /** The hash of the content of a live id; spread by this class. */
    abstract int hashOf(int id);

    final int first(int hash) {
        return spread(hash) & mask;
    }

    final int next(int cell) {
        return (cell + 1) & mask;
    }

    final int at(int cell) {
        return cells[cell] - 1;
    }

    final void insert(int id) {
        if (++size > (cells.length >>> 2) * 3) {
            resize(cells.length * 2);
        }
        place(id);
    }

    final void remove(int id) {
        int cell = first(hashOf(id));
        while (cells[cell] != id + 1) {
            if (cells[cell] == 0) {
                throw new IllegalStateException("id " + id + " is not in the table");
            }
            cell = next(cell);
        }
        int hole = cell;
        for (int probe = next(hole); cells[probe] != 0; probe = next(probe)) {
            int home = first(hashOf(cells[probe] - 1));
            boolean mayMove = ((probe - home) & mask) >= ((probe - hole) & mask);
            if (mayMove) {
                cells[hole] = cells[probe];
                hole = probe;
            }
        }
        cells[hole] = 0;
        size--;
        if (cells.length > 64 && size < cells.length >>> 3) {
            resize(cells.length / 2);
        }
    }

    final int size() {
        return size;
    }

    private void resize(int length) {
        int[] old = cells;
        cells = new int[length];
        mask = length - 1;
        for (int cell : old) {
            if (cell != 0) {
                place(cell - 1);
            }
        }
        Arrays.fill(old, 0);
    }

    private void place(int id) {
        int cell = first(hashOf(id));
        while (cells[cell] != 0) {
            cell = next(cell);
        }
        cells[cell] = id + 1;
    }

    private static int spread(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
        return mixed ^ mixed >>> 16;
    }
}

package io.evenkeel.engine.memory;

import java.nio.charset.StandardCharsets;

/**
 * Gives each distinct text an id, so that equal texts are equal ints: label keys and values of nodes, classes and
 * selectors. Ids are counted by use and recycled. An id is an address in a {@link TextStore}, which also keeps the
 * names of pods: a name that is also the value of a label (a StatefulSet's pod) is stored once.
 *
 * <p>Invariant: an id is live while its use count is above 0, and {@link #find} finds exactly the live ids. A name that
 * is not the text of any label has an address, but is not found.
 */
public final class StringTable {
    public static final int NONE = -1;

    private final TextStore texts;
    private final Table table = new Table();

    public StringTable(int maxPages) {
        texts = new TextStore(maxPages);
    }

    /** A copy with the same ids. */
    public StringTable(StringTable other) {
        texts = new TextStore(other.texts);
        table.shareWith(other.table);
    }

    /**
     * Adds a use of {@code string} and returns its id.
     *
     * @throws CapacityException if there is no room for it; nothing is changed
     */
    public int acquire(String string) {
        byte[] text = string.getBytes(StandardCharsets.UTF_8);
        return acquire(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    /** Adds a use of the text, whose {@link KeyedHash} is given, and returns its id. */
    public int acquire(byte[] text, int from, int to, int hash) {
        int id = find(text, from, to, hash);
        if (id == NONE) {
            id = texts.add(text, from, to, true);
            table.insert(id, hash);
        }
        texts.retain(id);
        return id;
    }

    /** The id of {@code string}, or {@link #NONE} if nothing uses it. */
    public int find(String string) {
        byte[] text = string.getBytes(StandardCharsets.UTF_8);
        return find(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    /** The id of the text, whose {@link KeyedHash} is given, or {@link #NONE} if nothing uses it. */
    public int find(byte[] text, int from, int to, int hash) {
        return table.find(text, from, to, hash);
    }

    public void release(int id) {
        if (texts.release(id)) {
            table.remove(id);
            texts.drop(id);
        }
    }

    /** The string of a live id or of a name's address. A new object is made each time. */
    public String get(int id) {
        return texts.get(id);
    }

    /** A copy of the bytes of a live id. */
    public byte[] bytes(int id) {
        return texts.bytes(id);
    }

    public int size() {
        return table.size();
    }

    /** How many uses a live id has. */
    public int uses(int id) {
        return texts.uses(id);
    }

    /** Whether the text at a name's address has an id in use as well. */
    public boolean isText(int name) {
        return texts.isCounted(name);
    }

    /** How many cells the longest search for a text looks at. Visits all cells. */
    public int longestSearch() {
        return table.longestSearch();
    }

    // ---- names

    /** Stores a name for one holder and returns its address; {@code hash} is its {@link KeyedHash}. */
    public int acquireName(byte[] name, int from, int to, int hash) {
        int id = find(name, from, to, hash);
        if (id == NONE) {
            return texts.add(name, from, to, false);
        }
        texts.retain(id);
        return id;
    }

    /** Ends the use of a name by its holder. */
    public void releaseName(int name) {
        if (texts.isCounted(name)) {
            release(name);
        } else {
            texts.drop(name);
        }
    }

    public boolean is(int name, byte[] text, int from, int to) {
        return texts.is(name, text, from, to);
    }

    /** Reads the memory of a name, so that the processor has it in its cache. The result has no meaning. */
    public int fetch(int name) {
        return texts.fetch(name);
    }

    public int hash(int name) {
        return texts.hash(name);
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int id) {
            return texts.hash(id);
        }

        int find(byte[] text, int from, int to, int hash) {
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                if (texts.is(at(cell), text, from, to)) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }
}

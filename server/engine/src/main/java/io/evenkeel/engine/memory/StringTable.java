package io.evenkeel.engine.memory;

import java.nio.charset.StandardCharsets;

/**
 * Texts as ids, counted by use and recycled: label keys and values, of nodes, classes and selectors alike, so that
 * equality of texts is equality of ints. Ids are addresses in a {@link TextStore}, which also keeps the names of pods:
 * a name that is a label's value too (a StatefulSet's pod) is stored once.
 *
 * <p>Invariant: an id is live while its use count is above 0; {@link #find} knows exactly the live ids. A name that is
 * nobody's label has an address, but is not found.
 */
public final class StringTable {
    public static final int NONE = -1;

    private final TextStore texts;
    private final Table table = new Table();

    public StringTable() {
        this(PagedSpace.MOST_PAGES);
    }

    public StringTable(int mostPages) {
        texts = new TextStore(mostPages);
    }

    /**
     * The id of {@code string}, with one use more.
     *
     * @throws CapacityException where there is no room for it; nothing is changed
     */
    public int acquire(String string) {
        byte[] text = string.getBytes(StandardCharsets.UTF_8);
        return acquire(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    /** The id of the text of that {@link KeyedHash}, with one use more. */
    public int acquire(byte[] text, int from, int to, int hash) {
        int id = find(text, from, to, hash);
        if (id == NONE) {
            id = texts.add(text, from, to, true);
            table.insert(id, hash);
        }
        texts.retain(id);
        return id;
    }

    /** The id of {@code string}, or {@link #NONE} where nothing uses it. */
    public int find(String string) {
        byte[] text = string.getBytes(StandardCharsets.UTF_8);
        return find(text, 0, text.length, KeyedHash.of(text, 0, text.length));
    }

    /** The id of the text of that {@link KeyedHash}, or {@link #NONE} where nothing uses it. */
    public int find(byte[] text, int from, int to, int hash) {
        return table.find(text, from, to, hash);
    }

    /** One use more of a live id. */
    public void retain(int id) {
        texts.retain(id);
    }

    public void release(int id) {
        if (texts.release(id)) {
            table.remove(id);
            texts.drop(id);
        }
    }

    /** The string of a live id or a name's address; made anew each time. */
    public String get(int id) {
        return texts.get(id);
    }

    public int size() {
        return table.size();
    }

    /** How many use a live id. */
    public int uses(int id) {
        return texts.uses(id);
    }

    /** Whether a name is a text in use as well. */
    public boolean isText(int name) {
        return texts.isCounted(name);
    }

    /** How many cells the longest search for a text looks at. Walks all. */
    public int longestSearch() {
        return table.longestSearch();
    }

    // ---- names

    /** The address of a name of that {@link KeyedHash}, for one holder. */
    public int hold(byte[] name, int from, int to, int hash) {
        int id = find(name, from, to, hash);
        if (id == NONE) {
            return texts.add(name, from, to, false);
        }
        texts.retain(id);
        return id;
    }

    /** The holder of a name lets it go. */
    public void letGo(int name) {
        if (texts.isCounted(name)) {
            release(name);
        } else {
            texts.drop(name);
        }
    }

    public boolean is(int name, byte[] text, int from, int to) {
        return texts.is(name, text, from, to);
    }

    /** Reads where a name stands. */
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

package io.evenkeel.engine;

import java.util.Arrays;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Sets of selectors of one namespace, each once, counted by the label classes that they match; ids are dense and recycled. A million classes of a namespace that no selector tells apart share one.
 *
 * <pre>
 *   namespaces[set]
 *   members[set]      by ascending id of the selector; never changed
 *   uses[set]
 *   draft             the set being put together, by ascending id
 * </pre>
 */
final class SelectorSets {
    private static final Selector[] NO_SELECTORS = {};

    private final Table table = new Table();
    private Namespace[] namespaces = new Namespace[16];
    private Selector[][] members = new Selector[16][];
    private int[] uses = new int[16];
    private final IntArrayList freeIds = new IntArrayList();
    private int limit;
    private Selector[] draft = new Selector[4];
    private int drafted;

    /** The last answer of {@link #with}, null once a set has gone: a new selector is added to class after class of the same set. */
    private @Nullable Selector lastMore;

    private int lastWithout;
    private int lastWith;

    /** Begins a set. */
    void begin() {
        drafted = 0;
    }

    /** Adds a selector that is not in the set yet. */
    void add(Selector selector) {
        if (drafted == draft.length) {
            draft = Arrays.copyOf(draft, drafted * 2);
        }
        int place = drafted++;
        while (place > 0 && draft[place - 1].id > selector.id) {
            draft[place] = draft[place - 1];
            place--;
        }
        draft[place] = selector;
    }

    /** The set that was begun, of selectors of one namespace, with one use more. */
    int acquire(Namespace namespace) {
        int hash = hash(namespace, draft, drafted);
        int set = table.find(namespace, hash);
        if (set == IdTable.NONE) {
            set = freeIds.isEmpty() ? limit++ : freeIds.removeAt(freeIds.size() - 1);
            if (set == uses.length) {
                namespaces = Arrays.copyOf(namespaces, set * 2);
                members = Arrays.copyOf(members, set * 2);
                uses = Arrays.copyOf(uses, set * 2);
            }
            namespaces[set] = namespace;
            members[set] = drafted == 0 ? NO_SELECTORS : Arrays.copyOf(draft, drafted);
            table.insert(set, hash);
        }
        uses[set]++;
        return set;
    }

    /** The set with one selector more, in the place of one use of this; the set itself where it has the selector. */
    int with(int set, Selector more) {
        if (more == lastMore && set == lastWithout) {
            uses[lastWith]++;
            int with = lastWith;
            release(set);
            return with;
        }
        if (more == lastMore && set == lastWith || contains(set, more)) {
            return set;
        }
        draft(set, null);
        add(more);
        int with = acquire(namespaces[set]);
        lastWithout = set;
        lastMore = more;
        lastWith = with;
        release(set);
        return with;
    }

    /** The set with one selector less, in the place of one use of this. */
    int without(int set, Selector less) {
        draft(set, less);
        int without = acquire(namespaces[set]);
        release(set);
        return without;
    }

    private boolean contains(int set, Selector selector) {
        for (Selector each : members[set]) {
            if (each == selector) {
                return true;
            }
        }
        return false;
    }

    private void draft(int set, @Nullable Selector without) {
        begin();
        for (Selector selector : members[set]) {
            if (selector != without) {
                add(selector);
            }
        }
    }

    void release(int set) {
        if (--uses[set] == 0) {
            lastMore = null;
            table.remove(set);
            freeIds.addInt(set);
        }
    }

    /** Must not be changed. */
    Selector[] members(int set) {
        return members[set];
    }

    Namespace namespace(int set) {
        return namespaces[set];
    }

    private static int hash(Namespace namespace, Selector[] selectors, int count) {
        int hash = namespace.id;
        for (int i = 0; i < count; i++) {
            hash = hash * 31 + selectors[i].id + 1;
        }
        return hash;
    }

    private final class Table extends IdTable {
        @Override
        int hashOf(int set) {
            return hash(namespaces[set], members[set], members[set].length);
        }

        int find(Namespace namespace, int hash) {
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                int set = at(cell);
                if (namespaces[set] == namespace
                        && Arrays.equals(members[set], 0, members[set].length, draft, 0, drafted)) {
                    return set;
                }
            }
            return NONE;
        }
    }
}

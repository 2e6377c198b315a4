package io.evenkeel.engine;

import java.util.Arrays;
import java.util.Comparator;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Sets of selectors of one namespace, each once, counted by the label classes that they match; ids are dense and recycled. A million classes of a namespace that no selector tells apart share one.
 *
 * <pre>
 *   namespaces[set]
 *   members[set]      by ascending id of the selector; never changed
 *   hashes[set]       of its namespace and members, a sum over these, so that one more or less is added or taken off
 *   uses[set]
 *   draft             the set being put together, by ascending id; its hash
 * </pre>
 */
final class SelectorSets {
    private static final Selector[] NO_SELECTORS = {};
    private static final Comparator<Selector> BY_ID = Comparator.comparingInt(selector -> selector.id);

    private final Table table = new Table();
    private Namespace[] namespaces = new Namespace[16];
    private Selector[][] members = new Selector[16][];
    private int[] hashes = new int[16];
    private int[] uses = new int[16];
    private final IntArrayList freeIds = new IntArrayList();
    private int limit;
    private Selector[] draft = new Selector[4];
    private int drafted;
    private int draftHash;

    /** The last answer of {@link #with}, null once a set has gone: a new selector is added to class after class of the same set. */
    private @Nullable Selector lastMore;

    private int lastWithout;
    private int lastWith;

    /** Begins a set. */
    void begin() {
        drafted = 0;
        draftHash = 0;
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
        draftHash += hash(selector);
    }

    /** The set that was begun, of selectors of one namespace, with one use more. */
    int acquire(Namespace namespace) {
        int hash = draftHash + namespace.id;
        int set = table.find(namespace, hash);
        if (set == IdTable.NONE) {
            set = freeIds.isEmpty() ? limit++ : freeIds.removeAt(freeIds.size() - 1);
            if (set == uses.length) {
                namespaces = Arrays.copyOf(namespaces, set * 2);
                members = Arrays.copyOf(members, set * 2);
                hashes = Arrays.copyOf(hashes, set * 2);
                uses = Arrays.copyOf(uses, set * 2);
            }
            namespaces[set] = namespace;
            members[set] = drafted == 0 ? NO_SELECTORS : Arrays.copyOf(draft, drafted);
            hashes[set] = hash;
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
        draft(set);
        add(more);
        int with = acquire(namespaces[set]);
        lastWithout = set;
        lastMore = more;
        lastWith = with;
        release(set);
        return with;
    }

    /** The set with one selector less, in the place of one use of this; the set itself where it has not the selector. */
    int without(int set, Selector less) {
        int place = place(set, less);
        if (place < 0) {
            return set;
        }
        draft(set);
        System.arraycopy(draft, place + 1, draft, place, drafted - place - 1);
        drafted--;
        draftHash -= hash(less);
        int without = acquire(namespaces[set]);
        release(set);
        return without;
    }

    private boolean contains(int set, Selector selector) {
        return place(set, selector) >= 0;
    }

    /** Where the selector stands in the set; negative where it does not. */
    private int place(int set, Selector selector) {
        return Arrays.binarySearch(members[set], selector, BY_ID);
    }

    /** Begins a set of the members of this one. */
    private void draft(int set) {
        Selector[] from = members[set];
        if (draft.length < from.length) {
            draft = new Selector[from.length * 2];
        }
        System.arraycopy(from, 0, draft, 0, from.length);
        drafted = from.length;
        draftHash = hashes[set] - namespaces[set].id;
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

    private static int hash(Selector selector) {
        return (selector.id + 1) * 0x9E3779B1;
    }

    private final class Table extends IdTable {
        @Override
        int hashOf(int set) {
            return hashes[set];
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

package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IdTable;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.memory.RecycledIds;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds namespaces by name. Ids are dense and recycled. The writer remembers the last namespace it asked for, because
 * consecutive events often have the same one. Readers write nothing.
 */
public final class Namespaces {
    private final Table table = new Table();
    private @Nullable Namespace[] namespaces = new Namespace[16];
    private byte[][] names = new byte[16][];
    private final RecycledIds ids;

    /** The namespace that the writer asked for last, or NONE. Only the writer uses it. */
    private int last = IdTable.NONE;

    public Namespaces() {
        ids = new RecycledIds();
    }

    /** A copy with the same ids. Its namespaces have the same classes, but no selectors. Those without classes go. */
    public Namespaces(Namespaces other) {
        namespaces = new Namespace[other.namespaces.length];
        for (int id = 0; id < namespaces.length; id++) {
            Namespace original = other.namespaces[id];
            namespaces[id] = original == null ? null : new Namespace(original);
        }
        names = other.names.clone();
        ids = new RecycledIds(other.ids);
        table.shareWith(other.table);
        all().forEach(this::dropIfEmpty);
    }

    /** The namespace with an id, which must be in use. */
    Namespace get(int id) {
        return Objects.requireNonNull(namespaces[id]);
    }

    /** The namespace of that name; created if there is none. */
    public Namespace acquire(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return acquire(text, 0, text.length);
    }

    public Namespace acquire(byte[] text, int from, int to) {
        Namespace found = findInRun(text, from, to);
        return found != null ? found : add(Arrays.copyOfRange(text, from, to));
    }

    /** The namespace of that name, or null. */
    public @Nullable Namespace find(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return find(text, 0, text.length);
    }

    @Nullable
    Namespace find(byte[] text, int from, int to) {
        int id = table.find(text, from, to);
        return id == IdTable.NONE ? null : namespaces[id];
    }

    /** Same as {@link #find}, but remembers the namespace. Only the writer may call it. */
    public @Nullable Namespace findInRun(byte[] text, int from, int to) {
        if (last == IdTable.NONE || !hasName(last, text, from, to)) {
            last = table.find(text, from, to);
        }
        return last == IdTable.NONE ? null : namespaces[last];
    }

    /** Removes the namespace of that name if it is empty. */
    public void dropIfEmpty(String name) {
        Namespace found = find(name);
        if (found != null) {
            dropIfEmpty(found);
        }
    }

    /** Removes a namespace if it is empty. */
    public void dropIfEmpty(Namespace namespace) {
        if (namespace.isEmpty()) {
            table.remove(namespace.id);
            namespaces[namespace.id] = null;
            ids.give(namespace.id);
            last = IdTable.NONE;
        }
    }

    public List<Namespace> all() {
        return IntStream.range(0, ids.limit())
                .mapToObj(id -> namespaces[id])
                .filter(Objects::nonNull)
                .toList();
    }

    private Namespace add(byte[] name) {
        int id = ids.take();
        if (id == namespaces.length) {
            namespaces = Arrays.copyOf(namespaces, id * 2);
            names = Arrays.copyOf(names, id * 2);
        }
        Namespace added = new Namespace(id, new String(name, StandardCharsets.UTF_8));
        namespaces[id] = added;
        names[id] = name;
        table.insert(id, table.hashOf(id));
        last = id;
        return added;
    }

    private boolean hasName(int id, byte[] text, int from, int to) {
        return Arrays.equals(names[id], 0, names[id].length, text, from, to);
    }

    private final class Table extends IdTable {
        @Override
        protected int hashOf(int id) {
            return KeyedHash.of(names[id], 0, names[id].length);
        }

        int find(byte[] text, int from, int to) {
            int hash = KeyedHash.of(text, from, to);
            for (int cell = first(hash); cell != NONE; cell = next(cell, hash)) {
                if (hasName(at(cell), text, from, to)) {
                    return at(cell);
                }
            }
            return NONE;
        }
    }
}

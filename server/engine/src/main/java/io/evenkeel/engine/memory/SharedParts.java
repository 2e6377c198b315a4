package io.evenkeel.engine.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The parts of one kind, each shared by all who need one of its key: made when it is first acquired, dropped when the
 * last user releases it.
 *
 * <pre>
 *   byKey         key → part
 *   parts[place]  without gaps: where a part goes, the last one takes its place
 *   keys[place]   the part's key
 * </pre>
 *
 * Invariant: a part is in all three while it has users, and what it takes is in {@link PartBytes}.
 *
 * @param <K> what makes two parts one; its hash must be keyed where others choose it ({@link KeyedHash})
 */
public final class SharedParts<K, P extends IndexPart> {
    private final Map<K, P> byKey = new HashMap<>();
    private final List<P> parts = new ArrayList<>();
    private final List<P> readOnly = Collections.unmodifiableList(parts);
    private final List<K> keys = new ArrayList<>();
    private final PartBytes bytes;
    private final BiConsumer<? super K, ? super P> dropped;

    /** @param dropped releases what a part rests on, after the part itself has gone */
    public SharedParts(PartBytes bytes, BiConsumer<? super K, ? super P> dropped) {
        this.bytes = bytes;
        this.dropped = dropped;
    }

    /** All parts by place; a view, to be read by place where nothing may be allocated. */
    public List<P> all() {
        return readOnly;
    }

    /** Tells {@code visitor} of each part and its key. */
    public void forEach(BiConsumer<? super K, ? super P> visitor) {
        byKey.forEach(visitor);
    }

    /**
     * The part of a key, with one use more.
     *
     * @param maker makes it where there is none; it may acquire parts of other kinds, and where it throws, nothing has
     *     changed here
     */
    public P acquire(K key, Function<? super K, ? extends P> maker) {
        P part = byKey.get(key);
        if (part == null) {
            part = maker.apply(key);
            part.place = parts.size();
            byKey.put(key, part);
            parts.add(part);
            keys.add(key);
            bytes.account(part);
        }
        part.retain();
        return part;
    }

    /** One use of a part less. */
    public void release(P part) {
        if (part.release()) {
            K key = keys.get(part.place);
            byKey.remove(key);
            close(part.place);
            bytes.forget(part);
            dropped.accept(key, part);
        }
    }

    /** Counts in what all parts take now. */
    public void account() {
        parts.forEach(bytes::account);
    }

    /** What the parts take, as last counted, added up anew. */
    public long addUpBytes() {
        return parts.stream().mapToLong(part -> part.accountedBytes).sum();
    }

    private void close(int place) {
        P last = parts.remove(parts.size() - 1);
        K lastKey = keys.remove(keys.size() - 1);
        if (place < parts.size()) {
            parts.set(place, last);
            keys.set(place, lastKey);
            last.place = place;
        }
    }
}

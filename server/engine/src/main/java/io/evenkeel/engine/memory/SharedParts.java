package io.evenkeel.engine.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Registers the parts of one kind by key, so that all users of a key share one part. A part is made when it is first
 * acquired, and removed when its last user releases it.
 *
 * <pre>
 *   byKey         key → part
 *   parts[place]  without gaps: when a part is removed, the last one moves to its place
 *   keys[place]   the part's key
 * </pre>
 *
 * Invariant: a part is in all three while it has users, and its size is in {@link PartBytes}.
 *
 * @param <K> the key; its hash must be keyed if callers choose its contents ({@link KeyedHash})
 */
public final class SharedParts<K, P extends IndexPart> {
    private final Map<K, P> byKey = new HashMap<>();
    private final List<P> parts = new ArrayList<>();
    private final List<P> readOnly = Collections.unmodifiableList(parts);
    private final List<K> keys = new ArrayList<>();
    private final PartBytes bytes;
    private final BiConsumer<? super K, ? super P> dropped;

    /** @param dropped releases the parts that a removed part used */
    public SharedParts(PartBytes bytes, BiConsumer<? super K, ? super P> dropped) {
        this.bytes = bytes;
        this.dropped = dropped;
    }

    /** All parts by place, as a view. Reading it by place allocates nothing. */
    public List<P> all() {
        return readOnly;
    }

    /** Calls {@code visitor} with each part and its key. */
    public void forEach(BiConsumer<? super K, ? super P> visitor) {
        byKey.forEach(visitor);
    }

    /**
     * Adds a use of the part with a key, and returns the part.
     *
     * @param maker makes the part if there is none; it may acquire parts of other kinds. If it throws, nothing is
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

    /** Ends a use of a part. */
    public void release(P part) {
        if (part.release()) {
            K key = keys.get(part.place);
            byKey.remove(key);
            close(part.place);
            bytes.forget(part);
            dropped.accept(key, part);
        }
    }

    /** Updates the sum with the present sizes of all parts. */
    public void account() {
        parts.forEach(bytes::account);
    }

    /** For validation: the sizes of the parts as last counted, summed up again. */
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

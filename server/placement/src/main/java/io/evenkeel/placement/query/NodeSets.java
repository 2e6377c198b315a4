package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.placement.call.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The node sets that callers have registered, by id. An id is a hash of the names, so that equal sets get equal ids;
 * names are compared, so that different sets never share an id. The number of sets is bounded: the set that was unused
 * longest is dropped first. Safe for use by several threads.
 */
public final class NodeSets {
    private final int mostSets;
    private final int mostNames;
    private final Map<Long, CandidateNodes> byId = new LinkedHashMap<>(16, 0.75f, true);
    private int names;

    public NodeSets(Limits limits) {
        mostSets = limits.nodeSets();
        mostNames = limits.nodeSetNames();
    }

    /** Registers the set of these names, and returns its id. */
    public long register(Collection<String> ofNodes) {
        List<String> sorted = List.copyOf(new TreeSet<>(ofNodes));
        long id = hash(sorted);
        synchronized (byId) {
            CandidateNodes known = byId.get(id);
            while (known != null && !known.names().equals(sorted) || id == 0) {
                id++;
                known = byId.get(id);
            }
            if (known == null) {
                byId.put(id, CandidateNodes.named(sorted));
                names += sorted.size();
                dropOldest();
            }
        }
        return id;
    }

    private void dropOldest() {
        Iterator<CandidateNodes> oldest = byId.values().iterator();
        while (byId.size() > 1 && (byId.size() > mostSets || names > mostNames)) {
            names -= oldest.next().names().size();
            oldest.remove();
        }
    }

    @Nullable
    CandidateNodes find(long id) {
        synchronized (byId) {
            return byId.get(id);
        }
    }

    public void forget(long id) {
        synchronized (byId) {
            CandidateNodes forgotten = byId.remove(id);
            names -= forgotten == null ? 0 : forgotten.names().size();
        }
    }

    public int size() {
        synchronized (byId) {
            return byId.size();
        }
    }

    private static long hash(List<String> names) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String name : names) {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}

package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The node sets that callers have registered. Each registration has its own random id, so that no caller can forget
 * another's set; equal sets are stored once. Registrations, names and their bytes are limited, and the least recently
 * used registration is evicted first. Thread-safe.
 *
 * <pre>
 *   registrations   id ──► content     in the order of use
 *   contents        digest of the names ──► content: names, number of registrations
 * </pre>
 */
public final class NodeSets {
    private static final int RANDOM_BYTES = 16;

    /** The overhead of a name: a string, an array, and references to them. */
    private static final int BYTES_OF_A_NAME = 64;

    private static final int MAX_LATIN = 0xFF;

    private final int maxSets;
    private final int maxNames;
    private final long maxBytes;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Content> registrations = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Content> contents = new HashMap<>();

    /** The number of names in all contents. */
    private int names;

    /** The approximate size of all contents in bytes. */
    private long bytes;

    private static final class Content {
        private final String digest;
        private final NodeSubset nodes;
        private final long bytes;
        private int uses;

        Content(String digest, NodeSubset nodes, long bytes) {
            this.digest = digest;
            this.nodes = nodes;
            this.bytes = bytes;
        }
    }

    public NodeSets(Limits limits) {
        maxSets = limits.nodeSets();
        maxNames = limits.nodeSetNames();
        maxBytes = limits.nodeSetBytes();
    }

    /**
     * Registers the set of these names, and returns its id.
     *
     * @param field the path of the names in the request
     * @throws RequestException if the set alone exceeds the byte limit for all sets
     */
    public String register(Collection<String> ofNodes, String field) {
        List<String> sorted = List.copyOf(new TreeSet<>(ofNodes));
        long taken = sorted.stream().mapToLong(NodeSets::bytes).sum();
        if (taken > maxBytes) {
            throw RequestException.overLimit(
                    field,
                    "must take at most " + maxBytes + " bytes, including " + BYTES_OF_A_NAME
                            + " bytes of overhead per name, took " + taken);
        }
        String digest = digest(sorted);
        byte[] unique = new byte[RANDOM_BYTES];
        random.nextBytes(unique);
        String id = text(unique);
        synchronized (registrations) {
            Content content = contents.get(digest);
            if (content == null) {
                content = new Content(digest, NodeSubset.named(sorted), taken);
                contents.put(digest, content);
                names += sorted.size();
                bytes += taken;
            }
            content.uses++;
            registrations.put(id, content);
            dropOldest();
        }
        return id;
    }

    private static long bytes(String name) {
        boolean latin = name.chars().allMatch(character -> character <= MAX_LATIN);
        return BYTES_OF_A_NAME + (latin ? 1L : 2L) * name.length();
    }

    private void dropOldest() {
        Iterator<Content> oldest = registrations.values().iterator();
        while (registrations.size() > 1 && (registrations.size() > maxSets || names > maxNames || bytes > maxBytes)) {
            Content dropped = oldest.next();
            oldest.remove();
            release(dropped);
        }
    }

    private void release(Content content) {
        content.uses--;
        if (content.uses == 0) {
            contents.remove(content.digest);
            names -= content.nodes.names().size();
            bytes -= content.bytes;
        }
    }

    /** The set of a registration; null if there is none. Counts as a use. */
    @Nullable
    NodeSubset find(String id) {
        synchronized (registrations) {
            Content content = registrations.get(id);
            return content == null ? null : content.nodes;
        }
    }

    /** Removes a registration. Ignores an unknown id. */
    public void forget(String id) {
        synchronized (registrations) {
            Content forgotten = registrations.remove(id);
            if (forgotten != null) {
                release(forgotten);
            }
        }
    }

    /** The number of names in all sets. Equal sets count once. */
    int names() {
        synchronized (registrations) {
            return names;
        }
    }

    /** The approximate size of these names in bytes. */
    long bytes() {
        synchronized (registrations) {
            return bytes;
        }
    }

    /** The number of registrations. */
    public int size() {
        synchronized (registrations) {
            return registrations.size();
        }
    }

    /** Equal digests imply equal sets because finding a collision is infeasible. */
    private static String digest(List<String> names) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
            for (String name : names) {
                byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
                digest.update(length.putInt(0, encoded.length).array());
                digest.update(encoded);
            }
            return text(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}

package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.CandidateNodes;
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
 * The node sets that callers have registered. Each registration has a random id of its own, so that nobody forgets a
 * set of another; equal sets are kept once. Registrations, names and their bytes are bounded: the registration that was
 * unused longest is dropped first. Safe for use by several threads.
 *
 * <pre>
 *   registrations   id ──► content     in the order of use
 *   contents        digest of the names ──► content: names, how many registrations have it
 * </pre>
 */
public final class NodeSets {
    private static final int RANDOM_BYTES = 16;

    /** What a name takes beside its characters: a string, an array, and references to it. */
    private static final int BYTES_OF_A_NAME = 64;

    private static final int MOST_LATIN = 0xFF;

    private final int mostSets;
    private final int mostNames;
    private final long mostBytes;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Content> registrations = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Content> contents = new HashMap<>();

    /** How many names all contents have together. */
    private int names;

    /** Roughly how many bytes all contents take together. */
    private long bytes;

    private static final class Content {
        private final String digest;
        private final CandidateNodes nodes;
        private final long bytes;
        private int uses;

        Content(String digest, CandidateNodes nodes, long bytes) {
            this.digest = digest;
            this.nodes = nodes;
            this.bytes = bytes;
        }
    }

    public NodeSets(Limits limits) {
        mostSets = limits.nodeSets();
        mostNames = limits.nodeSetNames();
        mostBytes = limits.nodeSetBytes();
    }

    /**
     * Registers the set of these names, and returns its id.
     *
     * @param field where the names stand in the request
     * @throws RequestException where the set alone takes more bytes than all may have
     */
    public String register(Collection<String> ofNodes, String field) {
        List<String> sorted = List.copyOf(new TreeSet<>(ofNodes));
        long taken = sorted.stream().mapToLong(NodeSets::bytes).sum();
        if (taken > mostBytes) {
            throw RequestException.overLimit(
                    field,
                    "must take at most " + mostBytes + " bytes, with " + BYTES_OF_A_NAME
                            + " for each name beside its characters, took " + taken);
        }
        String digest = digest(sorted);
        byte[] unique = new byte[RANDOM_BYTES];
        random.nextBytes(unique);
        String id = text(unique);
        synchronized (registrations) {
            Content content = contents.get(digest);
            if (content == null) {
                content = new Content(digest, CandidateNodes.named(sorted), taken);
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
        boolean latin = name.chars().allMatch(character -> character <= MOST_LATIN);
        return BYTES_OF_A_NAME + (latin ? 1L : 2L) * name.length();
    }

    private void dropOldest() {
        Iterator<Content> oldest = registrations.values().iterator();
        while (registrations.size() > 1
                && (registrations.size() > mostSets || names > mostNames || bytes > mostBytes)) {
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

    /** The set of a registration; null where there is none. Counts as a use of it. */
    @Nullable
    CandidateNodes find(String id) {
        synchronized (registrations) {
            Content content = registrations.get(id);
            return content == null ? null : content.nodes;
        }
    }

    /** Ends a registration. An unknown id is no error. */
    public void forget(String id) {
        synchronized (registrations) {
            Content forgotten = registrations.remove(id);
            if (forgotten != null) {
                release(forgotten);
            }
        }
    }

    /** How many names the sets have together, those of equal sets counted once. */
    int names() {
        synchronized (registrations) {
            return names;
        }
    }

    /** Roughly how many bytes these names take. */
    long bytes() {
        synchronized (registrations) {
            return bytes;
        }
    }

    /** How many registrations there are. */
    public int size() {
        synchronized (registrations) {
            return registrations.size();
        }
    }

    /** Equal digests are those of equal sets: nobody finds two sets that differ and have one digest. */
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

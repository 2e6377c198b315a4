package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.placement.call.Limits;
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
 * set of another; equal sets are kept once. Registrations and names are bounded: the registration that was unused
 * longest is dropped first. Safe for use by several threads.
 *
 * <pre>
 *   registrations   id ──► content     in the order of use
 *   contents        digest of the names ──► content: names, how many registrations have it
 * </pre>
 */
public final class NodeSets {
    private static final int RANDOM_BYTES = 16;

    private final int mostSets;
    private final int mostNames;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Content> registrations = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Content> contents = new HashMap<>();

    /** How many names all contents have together. */
    private int names;

    private static final class Content {
        private final String digest;
        private final CandidateNodes nodes;
        private int uses;

        Content(String digest, CandidateNodes nodes) {
            this.digest = digest;
            this.nodes = nodes;
        }
    }

    public NodeSets(Limits limits) {
        mostSets = limits.nodeSets();
        mostNames = limits.nodeSetNames();
    }

    /** Registers the set of these names, and returns its id. */
    public String register(Collection<String> ofNodes) {
        List<String> sorted = List.copyOf(new TreeSet<>(ofNodes));
        String digest = digest(sorted);
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String id = text(bytes);
        synchronized (registrations) {
            Content content = contents.get(digest);
            if (content == null) {
                content = new Content(digest, CandidateNodes.named(sorted));
                contents.put(digest, content);
                names += sorted.size();
            }
            content.uses++;
            registrations.put(id, content);
            dropOldest();
        }
        return id;
    }

    private void dropOldest() {
        Iterator<Content> oldest = registrations.values().iterator();
        while (registrations.size() > 1 && (registrations.size() > mostSets || names > mostNames)) {
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

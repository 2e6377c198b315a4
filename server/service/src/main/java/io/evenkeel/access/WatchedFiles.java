package io.evenkeel.access;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Files that are used together, such as a certificate and its key. They are reloaded when their content has changed and
 * then stays the same for one check, so that files still being written are not loaded. Contents are compared by hash,
 * not by time, because Kubernetes replaces files by changing a symbolic link. Not thread-safe.
 */
final class WatchedFiles {
    /** A larger file is a mistake. */
    private static final int MAX_BYTES = 1 << 20;

    private final String what;
    private final List<Path> paths;
    private final Use use;
    private HashCode used;
    private HashCode seen;

    /** Puts the contents of the files to use. */
    interface Use {
        /**
         * Uses the contents from now on.
         *
         * @throws IOException if they cannot be used; the previous contents stay in use
         */
        void take(List<byte[]> contents) throws IOException;
    }

    /**
     * Reads the files and puts them to use.
     *
     * @param what the option that names the files, for messages
     * @throws IOException if they cannot be read or used; the message names them
     */
    WatchedFiles(String what, List<Path> paths, Use use) throws IOException {
        this.what = what;
        this.paths = List.copyOf(paths);
        this.use = use;
        try {
            List<byte[]> contents = read();
            take(contents);
            used = hash(contents);
        } catch (IOException e) {
            throw new IOException(named(e), e);
        }
        seen = used;
    }

    /**
     * Checks whether the files have changed, and reloads them if so. Returns whether they were reloaded, and logs what
     * was reloaded or why it was not.
     */
    boolean look(Consumer<String> log) {
        HashCode now;
        List<byte[]> contents = List.of();
        IOException problem = null;
        try {
            contents = read();
            now = hash(contents);
        } catch (IOException e) {
            problem = e;
            now = hash(List.of(String.valueOf(e).getBytes(StandardCharsets.UTF_8)));
        }
        boolean settled = now.equals(seen);
        seen = now;
        if (!settled || now.equals(used)) {
            return false;
        }
        used = now;
        try {
            if (problem != null) {
                throw problem;
            }
            take(contents);
            log.accept(names() + ": changed; reloaded");
            return true;
        } catch (IOException e) {
            log.accept(named(e) + "; keeping the previous version");
            return false;
        }
    }

    /** Turns exceptions into {@link IOException}s, so that the files keep being watched. */
    private void take(List<byte[]> contents) throws IOException {
        try {
            use.take(contents);
        } catch (RuntimeException e) {
            throw new IOException("cannot be used: " + e, e);
        }
    }

    private String names() {
        return what + " " + paths.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    private String named(IOException e) {
        if (e instanceof NoSuchFileException) {
            return names() + ": no such file" + (paths.size() > 1 ? ": " + e.getMessage() : "");
        }
        return names() + ": " + e.getMessage();
    }

    private List<byte[]> read() throws IOException {
        List<byte[]> contents = new ArrayList<>();
        for (Path path : paths) {
            // Reading a pipe might block forever, or find it empty the next time. Links are followed.
            if (Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
                throw new IOException((paths.size() > 1 ? path + " " : "") + "must be a regular file");
            }
            byte[] content;
            try (InputStream in = Files.newInputStream(path)) {
                content = in.readNBytes(MAX_BYTES + 1);
            }
            if (content.length > MAX_BYTES) {
                throw new IOException("must have at most " + MAX_BYTES + " bytes");
            }
            contents.add(content);
        }
        return contents;
    }

    private static HashCode hash(List<byte[]> contents) {
        Hasher hasher = Hashing.sha256().newHasher();
        for (byte[] content : contents) {
            hasher.putInt(content.length).putBytes(content);
        }
        return hasher.hash();
    }
}

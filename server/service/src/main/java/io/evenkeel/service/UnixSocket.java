package io.evenkeel.service;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix domain socket. The process's umask decides who can open a new socket. So the server listens in a
 * directory that only this user can enter, and the file is linked to its place once it has its mode. Linking fails if
 * the file exists, so only the first of several servers that start at once gets the place. The file of a dead server is
 * moved away first.
 */
final class UnixSocket implements AutoCloseable {
    /** The kernel allows 108 bytes, including a zero byte at the end. */
    private static final int MAX_PATH_BYTES = 107;

    /** The bits of a file's mode with its type, and their value for a socket. */
    private static final int FILE_TYPE = 0xf000;

    private static final int SOCKET = 0xc000;

    private static final String NAME_WITHIN = "s";
    private static final String NAME_OF_DEAD = "d";

    private final Listener.Unix listener;
    private final Path place;
    private final Path directory;
    private final Path made;

    /** The key of the file at its place; null until it is there. */
    private @Nullable Object file;

    private UnixSocket(Listener.Unix listener, Path place, Path directory) {
        this.listener = listener;
        this.place = place;
        this.directory = directory;
        made = directory.resolve(NAME_WITHIN);
    }

    /**
     * Prepares to listen there.
     *
     * @throws IOException if another server already listens there, or it is not possible
     */
    static UnixSocket prepare(Listener.Unix listener) throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("Unix domain sockets need Linux on x86_64 or aarch64", Epoll.unavailabilityCause());
        }
        Path place = listener.path().toAbsolutePath();
        requireFree(place);
        Path parent = Objects.requireNonNull(place.getParent(), "path without a file name");
        if (!Files.isDirectory(parent)) {
            throw new IOException("directory " + parent + " does not exist");
        }
        UnixSocket socket = new UnixSocket(listener, place, ownDirectory(parent));
        int bytes = Math.max(bytes(place), bytes(socket.made));
        if (bytes > MAX_PATH_BYTES) {
            socket.close();
            throw new IOException("the path must have at most " + (MAX_PATH_BYTES - bytes + bytes(place))
                    + " bytes, has " + bytes(place));
        }
        return socket;
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    /** Requires that there is no file, or a socket without a listening server. */
    private static void requireFree(Path place) throws IOException {
        Map<String, Object> seen;
        try {
            seen = Files.readAttributes(place, "unix:mode,fileKey", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException nothing) {
            return;
        }
        if (((int) Objects.requireNonNull(seen.get("mode")) & FILE_TYPE) != SOCKET) {
            throw new IOException("a file that is not a socket already exists");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A blocking connect would wait behind others if the server's queue is full.
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(place));
        } catch (ConnectException deserted) {
            return;
        } catch (IOException e) {
            if (!isStill(seen.get("fileKey"), place)) {
                // Another server has removed it meanwhile, and may have replaced it with its own.
                requireFree(place);
                return;
            }
            throw new IOException(
                    "a socket already exists, and checking whether it is in use failed: " + e.getMessage(), e);
        }
        throw new IOException("another server already listens there");
    }

    private static boolean isStill(@Nullable Object key, Path place) throws IOException {
        try {
            return fileKey(place).equals(key);
        } catch (NoSuchFileException nothing) {
            return false;
        }
    }

    private static Path ownDirectory(Path parent) throws IOException {
        while (true) {
            Path directory = parent.resolve(
                    ".e" + Integer.toHexString(ThreadLocalRandom.current().nextInt(1 << 24)));
            try {
                return Files.createDirectory(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                // Try another name.
            } catch (AccessDeniedException | NoSuchFileException e) {
                // The exception's message is only the name that was tried.
                throw new IOException("cannot create files in " + parent, e);
            }
        }
    }

    /** Returns the builder of a gRPC server that listens on the socket, which others cannot open yet. */
    NettyServerBuilder transport() {
        return NettyServerBuilder.forAddress(new DomainSocketAddress(made.toString()))
                // gRPC sets it for TCP, and Netty logs a warning for each connection that does not support it.
                .withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }

    /** Lets callers open the socket, once the server listens on it. */
    void publish() throws IOException {
        Files.setPosixFilePermissions(made, listener.mode());
        file = fileKey(made);
        while (!isLinked()) {
            requireFree(place);
            removeDead();
        }
        Files.delete(made);
        Files.delete(directory);
    }

    private boolean isLinked() throws IOException {
        try {
            Files.createLink(place, made);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Removes the socket of a dead server. */
    private void removeDead() throws IOException {
        Path dead = directory.resolve(NAME_OF_DEAD);
        try {
            Files.move(place, dead, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // Another starting server has removed it.
            return;
        }
        try {
            requireFree(dead);
        } catch (IOException e) {
            // The other server was even faster, and this is its socket.
            Files.move(dead, place);
            throw e;
        }
        Files.delete(dead);
    }

    private static Object fileKey(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the file, unless it now belongs to another server. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(made);
            Files.deleteIfExists(directory);
            if (file != null && Files.exists(place, LinkOption.NOFOLLOW_LINKS) && file.equals(fileKey(place))) {
                Files.delete(place);
            }
        } catch (IOException e) {
            System.getLogger(UnixSocket.class.getName())
                    .log(System.Logger.Level.WARNING, "failed to remove the socket " + place, e);
        }
    }
}

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
 * The file of a Unix domain socket. A new socket can be opened by whom the process' umask lets. So the server listens
 * in a directory that only this user may enter, and the file is linked to its place when it has its mode. That fails
 * where there is a file, so only the first of several servers that start at once has the place. What a dead server has
 * left there is moved away before.
 */
final class UnixSocket implements AutoCloseable {
    /** The kernel's 108 bytes, with a zero at the end. */
    private static final int MAX_PATH_BYTES = 107;

    /** The bits of a file's mode that say what it is, and those of a socket. */
    private static final int FILE_TYPE = 0xf000;

    private static final int SOCKET = 0xc000;

    private static final String NAME_WITHIN = "s";
    private static final String NAME_OF_DEAD = "d";

    private final Listener.Unix listener;
    private final Path place;
    private final Path directory;
    private final Path made;

    /** The file that stands at the place; null before it does. */
    private @Nullable Object file;

    private UnixSocket(Listener.Unix listener, Path place, Path directory) {
        this.listener = listener;
        this.place = place;
        this.directory = directory;
        made = directory.resolve(NAME_WITHIN);
    }

    /**
     * Makes what is needed to listen there.
     *
     * @throws IOException where a server listens there already, or it is not possible
     */
    static UnixSocket prepare(Listener.Unix listener) throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("Unix domain sockets need Linux on x86_64 or aarch64", Epoll.unavailabilityCause());
        }
        Path place = listener.path().toAbsolutePath();
        requireFree(place);
        Path parent = Objects.requireNonNull(place.getParent(), "a path without a file name");
        if (!Files.isDirectory(parent)) {
            throw new IOException("there is no directory " + parent);
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

    /** Requires that there is nothing, or a socket that nobody listens on. */
    private static void requireFree(Path place) throws IOException {
        Map<String, Object> seen;
        try {
            seen = Files.readAttributes(place, "unix:mode,fileKey", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException nothing) {
            return;
        }
        if (((int) Objects.requireNonNull(seen.get("mode")) & FILE_TYPE) != SOCKET) {
            throw new IOException("there is a file that is no socket");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Where many wait to be let in, it would wait behind them.
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(place));
        } catch (ConnectException deserted) {
            return;
        } catch (IOException e) {
            if (!isStill(seen.get("fileKey"), place)) {
                // Another server has removed it meanwhile, and may have put its own there.
                requireFree(place);
                return;
            }
            throw new IOException("there is a socket, and whether it is in use is not known: " + e.getMessage(), e);
        }
        throw new IOException("a server listens there already");
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
                // Another name, then.
            } catch (AccessDeniedException | NoSuchFileException e) {
                // Its message is nothing but the name that was tried.
                throw new IOException("no file can be made in " + parent, e);
            }
        }
    }

    /** A gRPC server that listens on the socket, where nobody can open it yet. */
    NettyServerBuilder transport() {
        return NettyServerBuilder.forAddress(new DomainSocketAddress(made.toString()))
                // gRPC sets it for TCP, and Netty warns of each connection that does not know it.
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

    /** Removes the socket that nobody listens on. */
    private void removeDead() throws IOException {
        Path dead = directory.resolve(NAME_OF_DEAD);
        try {
            Files.move(place, dead, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // Another server that starts has removed it.
            return;
        }
        try {
            requireFree(dead);
        } catch (IOException e) {
            // That server was even faster, and this is its socket.
            Files.move(dead, place);
            throw e;
        }
        Files.delete(dead);
    }

    private static Object fileKey(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the file, unless it is another server's by now. */
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
                    .log(System.Logger.Level.WARNING, "the file of " + place + " stays behind", e);
        }
    }
}

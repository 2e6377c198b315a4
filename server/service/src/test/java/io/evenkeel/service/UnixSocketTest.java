package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Empty;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests servers that listen on Unix domain sockets. */
final class UnixSocketTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void socket_hasItsMode_isTheOnlyFile_andGoesWithTheServer() throws Exception {
        Path path = directory.resolve("e.sock");
        try (EvenkeelServer server = EvenkeelServer.start(on(path, "rw-rw---x"))) {
            assertEquals(0, nodes("unix:" + path));
            assertEquals(0, nodes("unix://" + path));
            assertEquals("rw-rw---x", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            assertEquals(List.of(path), files());
            assertEquals(-1, server.port());
        }
        assertEquals(List.of(), files());
    }

    @Test
    void server_listensInSeveralPlaces() throws Exception {
        Path first = directory.resolve("1");
        Path second = directory.resolve("2");
        Listener port = new Listener.Tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ServerOptions options = ServerOptions.onLoopback(0)
                .withListeners(listener(first, "rw-------"), port, listener(second, "rw-------"));
        try (EvenkeelServer server = EvenkeelServer.start(options)) {
            assertEquals(0, nodes("unix:" + first));
            assertEquals(0, nodes("unix:" + second));
            assertEquals(0, nodes("127.0.0.1:" + server.port()));
            assertEquals(3, server.listeners().size());
            assertEquals(
                    new Listener.Tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())),
                    server.listeners().get(1));
        }
        assertEquals(List.of(), files());
    }

    @Test
    void socketOfALiveServer_isRefused_andLeftToIt() throws Exception {
        Path path = directory.resolve("e.sock");
        try (EvenkeelServer live = EvenkeelServer.start(on(path, "rw-------"))) {
            assertEquals("another server already listens there", refusal(path));
            assertEquals(0, nodes("unix:" + path));
            assertEquals(1, live.listeners().size());
        }
    }

    @Test
    void listenersBeforeOneThatIsRefused_areGivenUp() throws Exception {
        Path path = directory.resolve("e.sock");
        Path file = Files.createFile(directory.resolve("file"));
        ServerOptions options =
                ServerOptions.onLoopback(0).withListeners(listener(path, "rw-------"), listener(file, "rw-------"));
        ListenException refused = assertThrows(ListenException.class, () -> EvenkeelServer.start(options));
        assertEquals(listener(file, "rw-------"), refused.listener());
        assertEquals(List.of(file), files());
    }

    @Test
    void socketOfADeadServer_isReplaced() throws Exception {
        Path path = directory.resolve("e.sock");
        leaveDeadSocket(path);
        assertTrue(Files.exists(path));
        try (EvenkeelServer server = EvenkeelServer.start(on(path, "rw-------"))) {
            assertEquals(0, nodes("unix:" + path));
            assertEquals(1, server.listeners().size());
        }
        assertFalse(Files.exists(path));
    }

    @Test
    void socketOfAnotherServer_isNotRemovedAtTheEnd() throws Exception {
        Path path = directory.resolve("e.sock");
        EvenkeelServer first = EvenkeelServer.start(on(path, "rw-------"));
        Files.delete(path);
        try (EvenkeelServer second = EvenkeelServer.start(on(path, "rw-------"))) {
            first.close();
            assertEquals(0, nodes("unix:" + path));
            assertEquals(1, second.listeners().size());
        }
    }

    @Test
    void whatIsNoSocket_isRefused_andKept() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "kept");
        assertEquals("a file that is not a socket already exists", refusal(file));
        assertEquals("kept", Files.readString(file));
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertEquals("a file that is not a socket already exists", refusal(link));
        Path pipe = directory.resolve("pipe");
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor());
        assertEquals("a file that is not a socket already exists", refusal(pipe));
        assertEquals(List.of(file, link, pipe), files());
    }

    /** Both find the place free, and the second one fails. */
    @Test
    void ofTwoServersThatStartTogether_theFirstKeepsTheSocket() throws Exception {
        Path path = directory.resolve("e.sock");
        try (UnixSocket second = UnixSocket.prepare(listener(path, "rw-------"));
                ServerSocketChannel listening = listenOnLastPrepared();
                EvenkeelServer first = EvenkeelServer.start(on(path, "rw-------"))) {
            IOException refused = assertThrows(IOException.class, second::publish);
            assertEquals("another server already listens there", refused.getMessage());
            assertEquals(0, nodes("unix:" + path));
            assertEquals(-1, first.port());
            assertTrue(listening.isOpen());
        }
        assertEquals(List.of(), files());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofTwoSocketsThatArePublishedAtOnce_oneHasThePlace(boolean isDeadOneThere) throws Exception {
        Path path = directory.resolve("e.sock");
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 300; round++) {
                if (isDeadOneThere) {
                    leaveDeadSocket(path);
                }
                try (UnixSocket first = UnixSocket.prepare(listener(path, "rw-------"));
                        ServerSocketChannel onFirst = listenOnLastPrepared();
                        UnixSocket second = UnixSocket.prepare(listener(path, "rw-------"));
                        ServerSocketChannel onSecond = listenOnLastPrepared()) {
                    List<Object> keys = List.of(key(path(onFirst)), key(path(onSecond)));
                    Future<String> ofFirst = threads.submit(() -> publish(first, together));
                    Future<String> ofSecond = threads.submit(() -> publish(second, together));
                    boolean hasFirst = ofFirst.get().isEmpty();
                    assertEquals(
                            hasFirst ? "another server already listens there" : "",
                            ofSecond.get(),
                            "in round " + round + ", and the first: " + ofFirst.get());
                    assertEquals(keys.get(hasFirst ? 0 : 1), key(path), "in round " + round);
                }
                assertEquals(List.of(), files());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Why it cannot be published; empty if it was. */
    private static String publish(UnixSocket socket, CyclicBarrier together) throws Exception {
        together.await();
        try {
            socket.publish();
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Path path(ServerSocketChannel listening) throws IOException {
        return ((UnixDomainSocketAddress) listening.getLocalAddress()).getPath();
    }

    /** The identity of a file. */
    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Listens in the directory of the socket that was prepared last, like a server before it publishes the socket. */
    private ServerSocketChannel listenOnLastPrepared() throws IOException {
        for (Path each : files()) {
            Path within = each.resolve("s");
            if (Files.isDirectory(each) && !Files.exists(within)) {
                return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(within));
            }
        }
        throw new AssertionError("no directory without a socket");
    }

    private static void leaveDeadSocket(Path path) throws IOException {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path));
        }
    }

    @Test
    void pathWithoutDirectory_orTooLong_isRefused() throws Exception {
        Path missing = directory.resolve("none");
        assertEquals("directory " + missing + " does not exist", refusal(missing.resolve("e.sock")));
        String refusal = refusal(directory.resolve("e".repeat(100)));
        int bytes = directory.toString().length() + 101;
        assertEquals("the path must have at most 107 bytes, has " + bytes, refusal);
        assertEquals("cannot create files in /proc", refusal(Path.of("/proc/e.sock")));
        assertEquals(List.of(), files());
    }

    /** Connections share the server fairly, so those of one socket must not be treated as one. */
    @Test
    void connections_areDistinguished() throws Exception {
        MethodDescriptor<Empty, Empty> method = MethodDescriptor.<Empty, Empty>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("test.Connections/Note")
                .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
                .build();
        List<Object> connections = Collections.synchronizedList(new ArrayList<>());
        ServerServiceDefinition service = ServerServiceDefinition.builder("test.Connections")
                .addMethod(method, ServerCalls.asyncUnaryCall((request, answers) -> {
                    OpenCall open = OpenCall.current();
                    connections.add(open == null ? "none" : open.connection());
                    answers.onNext(request);
                    answers.onCompleted();
                }))
                .build();
        Path path = directory.resolve("e.sock");
        try (EvenkeelServer server = EvenkeelServer.start(on(path, "rw-------").withFurtherServices(() -> service))) {
            assertEquals(1, server.listeners().size());
            for (int connection = 0; connection < 2; connection++) {
                ManagedChannel channel = channel("unix:" + path);
                for (int call = 0; call < 2; call++) {
                    ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, Empty.getDefaultInstance());
                }
                channel.shutdownNow();
            }
        }
        assertEquals(4, connections.size());
        assertEquals(connections.get(0), connections.get(1));
        assertEquals(connections.get(2), connections.get(3));
        assertFalse(connections.get(0).equals(connections.get(2)));
    }

    private static Listener.Unix listener(Path path, String mode) {
        return new Listener.Unix(path, PosixFilePermissions.fromString(mode));
    }

    private static ServerOptions on(Path path, String mode) {
        return ServerOptions.onLoopback(0).withListeners(listener(path, mode));
    }

    private static String refusal(Path path) {
        ListenException refused =
                assertThrows(ListenException.class, () -> EvenkeelServer.start(on(path, "rw-------")));
        assertEquals(listener(path, "rw-------"), refused.listener());
        return String.valueOf(refused.getMessage());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private static ManagedChannel channel(String target) {
        return Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
                .build();
    }

    private static long nodes(String target) {
        ManagedChannel channel = channel(target);
        try {
            return ClusterStateGrpc.newBlockingStub(channel)
                    .getStatus(GetStatusRequest.getDefaultInstance())
                    .getNodeCount();
        } finally {
            channel.shutdownNow();
        }
    }
}

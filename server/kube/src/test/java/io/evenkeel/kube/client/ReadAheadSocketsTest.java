package io.evenkeel.kube.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ReadAheadSocketsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Random random = new Random(1);

    /** The two ends of a connection. */
    private record Connection(ReadAheadSockets sockets, Socket near, Socket far) implements AutoCloseable {
        static Connection open(Duration silence) throws IOException {
            return open(silence, ReadDelay.NONE);
        }

        static Connection open(Duration silence, ReadDelay rest) throws IOException {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                ReadAheadSockets sockets = new ReadAheadSockets(silence, rest);
                Socket near = sockets.createSocket();
                near.connect(server.getLocalSocketAddress());
                return new Connection(sockets, near, server.accept());
            }
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
            sockets.close();
        }
    }

    @Test
    void bytesOfAnyLength_areReadInPiecesOfAnyLength() throws Exception {
        byte[] sent = new byte[300_000];
        random.nextBytes(sent);
        try (Connection connection = Connection.open(LONG)) {
            Thread sender = new Thread(() -> send(connection.far(), sent));
            sender.start();
            InputStream input = connection.near().getInputStream();
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            byte[] piece = new byte[100_000];
            while (true) {
                if (random.nextBoolean()) {
                    int next = input.read();
                    if (next < 0) {
                        break;
                    }
                    read.write(next);
                } else {
                    int most = 1 + random.nextInt(random.nextInt(8) == 0 ? piece.length : 600);
                    int count = input.read(piece, 0, most);
                    if (count < 0) {
                        break;
                    }
                    read.write(piece, 0, count);
                }
            }
            assertArrayEquals(sent, read.toByteArray());
            assertEquals(-1, input.read(piece, 0, piece.length), "after the end");
            sender.join();
        }
    }

    private void send(Socket to, byte[] bytes) {
        try {
            for (int from = 0; from < bytes.length; ) {
                int count = Math.min(bytes.length - from, 1 + new Random(from).nextInt(20_000));
                to.getOutputStream().write(bytes, from, count);
                from += count;
            }
            to.shutdownOutput();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void timeoutOfTheSocket_losesNothing() throws Exception {
        try (Connection connection = Connection.open(LONG)) {
            connection.near().setSoTimeout(50);
            InputStream input = connection.near().getInputStream();
            connection.far().getOutputStream().write(new byte[] {1, 2, 3});
            assertEquals(1, input.read());
            assertEquals(2, input.available(), "read ahead");
            assertArrayEquals(new byte[] {2, 3}, input.readNBytes(2));
            assertThrows(SocketTimeoutException.class, input::read);
            connection.far().getOutputStream().write(new byte[] {4, 5});
            assertArrayEquals(new byte[] {4, 5}, input.readNBytes(2));
            assertSame(input, connection.near().getInputStream(), "another stream would miss what was read ahead");
        }
    }

    @Test
    @Timeout(60)
    void readThatWaitsForTooLong_endsByATimeout_andWhatCameBeforeIsRead() throws Exception {
        try (Connection connection = Connection.open(Duration.ofMillis(300))) {
            InputStream input = connection.near().getInputStream();
            connection.far().getOutputStream().write(new byte[] {1, 2});
            assertArrayEquals(new byte[] {1, 2}, input.readNBytes(2));
            // No one reads, so no byte is missing.
            Thread.sleep(600);
            connection.far().getOutputStream().write(3);
            assertEquals(3, input.read());
            assertThrows(SocketTimeoutException.class, input::read);
            assertTrue(connection.near().isClosed());
        }
    }

    @Test
    @Timeout(60)
    void bytesThatComeUnasked_gatherBeforeTheyAreRead() throws Exception {
        List<Long> rests = new ArrayList<>();
        CompletableFuture<Connection> resting = new CompletableFuture<>();
        ReadDelay more = most -> {
            rests.add(most);
            if (rests.size() == 1) {
                try {
                    resting.join().far().getOutputStream().write(new byte[] {2, 3});
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        try (Connection connection = Connection.open(LONG, more)) {
            connection.far().setTcpNoDelay(true);
            resting.complete(connection);
            InputStream input = connection.near().getInputStream();
            // Repeat until two reads come in quick succession.
            while (rests.isEmpty()) {
                connection.far().getOutputStream().write(1);
                assertEquals(1, input.read());
            }
            assertArrayEquals(new byte[] {2, 3}, input.readNBytes(2));
            assertTrue(rests.get(0) > 0 && rests.get(0) <= ReadPace.REST_NANOS, () -> "rested for " + rests);
        }
    }

    @Test
    @Timeout(60)
    void whoeverHasAsked_readsAtOnce() throws Exception {
        ReadDelay none = most -> {
            throw new AssertionError("an answer was not read at once");
        };
        try (Connection connection = Connection.open(LONG, none)) {
            for (int i = 0; i < 100; i++) {
                connection.near().getOutputStream().write(7);
                assertEquals(7, connection.far().getInputStream().read());
                connection.far().getOutputStream().write(1);
                assertEquals(1, connection.near().getInputStream().read());
                // Long enough for a rest, if there was one.
                Thread.sleep(1);
            }
        }
    }

    @Test
    void socketsOfAClosedClient_areNotRead() throws Exception {
        try (Connection connection = Connection.open(LONG)) {
            connection.sockets().close();
            assertThrows(SocketException.class, () -> connection.near().getInputStream());
        }
    }
}

package io.evenkeel.service;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A connection that implements just enough HTTP/2 to leave a gRPC message half sent, which no client library can do.
 *
 * <pre>
 *   frame          │ length (3) │ type (1) │ flags (1) │ stream (4) │ length bytes │
 *   gRPC message   │ 0 (1) │ length (4) │ length bytes │
 * </pre>
 *
 * <p>Reads only the status of an answer's headers, and only in the first answer of a connection, which contains it
 * literally.
 */
public final class RawCalls implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int FRAME_HEADER = 9;
    private static final int LARGEST_FRAME = 16_384;
    private static final byte[] STATUS = "grpc-status".getBytes(StandardCharsets.US_ASCII);

    private final Closeable socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int lastStream = -1;
    private long window = 65_535;

    /** The streams that the server has ended, with their statuses; -1 if none was read. */
    private final Map<Integer, Integer> ended = new HashMap<>();

    /** The streams that the server has reset. */
    private final Set<Integer> reset = new HashSet<>();

    public RawCalls(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    private RawCalls(Socket connection) throws IOException {
        this(connection, connection.getInputStream(), connection.getOutputStream());
    }

    /** Connects through a Unix domain socket, which buffers less unread data than a TCP connection. */
    RawCalls(Path path) throws IOException {
        this(SocketChannel.open(UnixDomainSocketAddress.of(path)));
    }

    private RawCalls(SocketChannel connection) throws IOException {
        this(connection, Channels.newInputStream(connection), Channels.newOutputStream(connection));
    }

    private RawCalls(Closeable connection, InputStream from, OutputStream to) throws IOException {
        socket = connection;
        in = new DataInputStream(from);
        out = to;
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /**
     * Begins a call, announces a message of {@code length} bytes, and sends {@code sent} bytes of it, unless the server
     * ends the call. Returns the call's stream.
     */
    public int begin(String method, int length, int sent) throws IOException {
        int stream = open(method, false);
        frame(
                DATA,
                0,
                stream,
                ByteBuffer.allocate(5).put((byte) 0).putInt(length).array());
        window -= 5;
        send(stream, sent);
        return stream;
    }

    /** Begins a call and returns its stream; with {@code whole}, without any message. */
    int open(String method, boolean whole) throws IOException {
        lastStream += 2;
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/" + method);
        header(headers, ":authority", "localhost");
        header(headers, "content-type", "application/grpc");
        header(headers, "te", "trailers");
        frame(HEADERS, whole ? END_HEADERS | END_STREAM : END_HEADERS, lastStream, headers.toByteArray());
        return lastStream;
    }

    /** Sends frames without effect until it fails because the connection is closed. Reads nothing. */
    void sendUntilClosed() throws IOException, InterruptedException {
        while (true) {
            frame(WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 0, 1});
            Thread.sleep(20);
        }
    }

    /** Sends bytes of a call's message as fast as the server accepts them, until it ends the call. */
    void send(int stream, int bytes) throws IOException {
        for (int left = bytes; left > 0; ) {
            int size = Math.min(left, LARGEST_FRAME);
            while (window < size && !ended.containsKey(stream)) {
                next();
            }
            if (isEnded(stream)) {
                return;
            }
            frame(DATA, 0, stream, new byte[size]);
            window -= size;
            left -= size;
        }
    }

    /** Sends that many bytes of the message of each of these calls, in one write. */
    void sendTogether(List<Integer> streams, int bytes) throws IOException {
        while (window < (long) bytes * streams.size()) {
            next();
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int stream : streams) {
            frames.writeBytes(framed(DATA, 0, stream, new byte[bytes]));
            window -= bytes;
        }
        out.write(frames.toByteArray());
    }

    /** Whether the server has ended the stream, according to the data received so far. */
    public boolean isEnded(int stream) throws IOException {
        while (in.available() >= FRAME_HEADER) {
            next();
        }
        return ended.containsKey(stream);
    }

    /** The status of a stream that the server has ended; -1 if none was read. */
    public int status(int stream) {
        return ended.getOrDefault(stream, -1);
    }

    /** Reads until the server has ended the stream. */
    void awaitEnd(int stream) throws IOException {
        awaitEnds(Set.of(stream));
    }

    /** Reads until the server has ended all of these. */
    void awaitEnds(Set<Integer> streams) throws IOException {
        while (!ended.keySet().containsAll(streams)) {
            next();
        }
    }

    /** Reads until the server has reset the stream. */
    void awaitReset(int stream) throws IOException {
        while (!reset.contains(stream)) {
            next();
        }
    }

    /** Reads a frame. */
    private void next() throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] body = in.readNBytes(length);
        if (type == WINDOW_UPDATE && stream == 0) {
            window += ByteBuffer.wrap(body).getInt();
        }
        if (type == RESET) {
            reset.add(stream);
        }
        if (type == RESET || type <= HEADERS && (flags & END_STREAM) != 0) {
            ended.putIfAbsent(stream, type == HEADERS ? statusIn(body) : -1);
        }
    }

    /**
     * The value that follows the name and the value's length. Searches for the name with its length, because other
     * names begin with it.
     */
    private static int statusIn(byte[] headers) {
        for (int at = 1; at + STATUS.length < headers.length; at++) {
            int end = at + STATUS.length;
            if (headers[at - 1] == STATUS.length && Arrays.equals(headers, at, end, STATUS, 0, STATUS.length)) {
                return Integer.parseInt(new String(headers, end + 1, headers[end], StandardCharsets.US_ASCII));
            }
        }
        return -1;
    }

    /** Writes a header as literals, which use no table. */
    private static void header(ByteArrayOutputStream headers, String name, String value) {
        headers.write(0);
        headers.write(name.length());
        headers.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        headers.write(value.length());
        headers.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    private void frame(int type, int flags, int stream, byte[] body) throws IOException {
        out.write(framed(type, flags, stream, body));
    }

    private static byte[] framed(int type, int flags, int stream, byte[] body) {
        ByteBuffer frame = ByteBuffer.allocate(FRAME_HEADER + body.length);
        frame.put((byte) (body.length >> 16)).putShort((short) body.length);
        frame.put((byte) type).put((byte) flags).putInt(stream).put(body);
        return frame.array();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

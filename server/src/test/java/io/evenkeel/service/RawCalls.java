package io.evenkeel.service;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * A connection that speaks just enough HTTP/2 to leave a gRPC message half sent, which no client library does.
 *
 * <pre>
 *   frame          │ length (3) │ type (1) │ flags (1) │ stream (4) │ length bytes │
 *   gRPC message   │ 0 (1) │ length (4) │ length bytes │
 * </pre>
 */
final class RawCalls implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int LARGEST_FRAME = 16_384;

    private final Socket socket;
    private final DataInputStream in;
    private int lastStream = -1;
    private long window = 65_535;

    RawCalls(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new DataInputStream(socket.getInputStream());
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    /** Begins a call, says that a message of {@code length} bytes comes, and sends {@code sent} bytes of it. Answers the call's stream. */
    int begin(String method, int length, int sent) throws IOException {
        lastStream += 2;
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, ":method", "POST");
        header(headers, ":scheme", "http");
        header(headers, ":path", "/" + method);
        header(headers, ":authority", "localhost");
        header(headers, "content-type", "application/grpc");
        header(headers, "te", "trailers");
        frame(HEADERS, END_HEADERS, lastStream, headers.toByteArray());
        frame(
                DATA,
                0,
                lastStream,
                ByteBuffer.allocate(5).put((byte) 0).putInt(length).array());
        window -= 5;
        send(lastStream, sent);
        return lastStream;
    }

    /** Sends bytes of a call's message, as fast as the server takes them. */
    void send(int stream, int bytes) throws IOException {
        for (int left = bytes; left > 0; ) {
            int size = Math.min(left, LARGEST_FRAME);
            while (window < size) {
                next();
            }
            frame(DATA, 0, stream, new byte[size]);
            window -= size;
            left -= size;
        }
    }

    /** Reads until the server has ended the stream. */
    void awaitEnd(int stream) throws IOException {
        awaitEnds(Set.of(stream));
    }

    /** Reads until the server has ended all of these. */
    void awaitEnds(Set<Integer> streams) throws IOException {
        Set<Integer> left = new HashSet<>(streams);
        while (!left.isEmpty()) {
            left.remove(next());
        }
    }

    /** Reads a frame; answers the stream that it ends, or -1. */
    private int next() throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] body = in.readNBytes(length);
        if (type == WINDOW_UPDATE && stream == 0) {
            window += ByteBuffer.wrap(body).getInt();
        }
        return type == RESET || type <= HEADERS && (flags & END_STREAM) != 0 ? stream : -1;
    }

    /** A header as literals, which name no table. */
    private static void header(ByteArrayOutputStream headers, String name, String value) {
        headers.write(0);
        headers.write(name.length());
        headers.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        headers.write(value.length());
        headers.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    private void frame(int type, int flags, int stream, byte[] body) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + body.length);
        frame.put((byte) (body.length >> 16)).putShort((short) body.length);
        frame.put((byte) type).put((byte) flags).putInt(stream).put(body);
        socket.getOutputStream().write(frame.array());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

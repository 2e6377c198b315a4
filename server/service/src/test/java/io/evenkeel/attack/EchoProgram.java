package io.evenkeel.attack;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A server in a separate process that reads whole requests and answers with as many bytes as they ask for. It shows the
 * cost of transferring bytes without processing them.
 */
final class EchoProgram {
    static final String LISTENS = "echo listens on ";

    /** Requests and answers are bytes. */
    static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("evenkeel.attack.Echo/Unary")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();

    private static final int ANSWERED = 1 << 10;

    private EchoProgram() {}

    static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .maxInboundMessageSize(1 << 24)
                .addService(ServerServiceDefinition.builder("evenkeel.attack.Echo")
                        .addMethod(METHOD, ServerCalls.asyncUnaryCall((request, answers) -> {
                            byte[] answer = new byte[Math.min(request.length, ANSWERED)];
                            System.arraycopy(request, 0, answer, 0, answer.length);
                            answers.onNext(answer);
                            answers.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        System.out.println(LISTENS + server.getPort());
        server.awaitTermination();
    }
}

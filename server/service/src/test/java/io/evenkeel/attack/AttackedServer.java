package io.evenkeel.attack;

import io.evenkeel.engine.Await;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs the server from the jar in a separate process, and opens channels to it. Closing it fails if the server has
 * died.
 */
final class AttackedServer implements AutoCloseable {
    private static final String JAR = "evenkeel-server.jar";
    private static final String LISTENS = "evenkeel listens on ";
    private static final String METRICS = " metrics at ";
    private static final int HEAP_MIB = 512;

    /** The threads that compile and explain, by the first 15 characters of their names. */
    private static final Set<String> WORKERS = Set.of("evenkeel-querie", "evenkeel-large-", "evenkeel-explan");

    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Process process;
    private final EventLoopGroup attackers = threads(2);
    private final EventLoopGroup bystanders = threads(1);
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final URI metrics;
    private final int port;

    /** Starts a server with a heap of 512 MiB, and with default options except for {@code arguments}. */
    AttackedServer(String... arguments) throws IOException {
        this(HEAP_MIB, arguments);
    }

    /** @param heapMib the server's heap in MiB */
    AttackedServer(int heapMib, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                java(),
                "-Xmx" + heapMib + "m",
                "-XX:+ExitOnOutOfMemoryError",
                "-jar",
                Path.of("target", JAR).toString(),
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--metrics",
                "127.0.0.1:0"));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String address = null;
        String page = null;
        while (address == null || page == null) {
            String line = Objects.requireNonNull(said.readLine(), "the server ended, or " + JAR + " is not built");
            if (line.startsWith(LISTENS)) {
                address = line.substring(LISTENS.length());
            } else if (line.contains(METRICS)) {
                page = line.substring(line.indexOf(METRICS) + METRICS.length());
            }
        }
        port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        metrics = URI.create(page);
        Thread rest = new Thread(() -> said.lines().forEach(line -> System.out.println("  server: " + line)));
        rest.setDaemon(true);
        rest.start();
    }

    private static EventLoopGroup threads(int count) {
        return new MultiThreadIoEventLoopGroup(count, NioIoHandler.newFactory());
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    int port() {
        return port;
    }

    /** A separate connection, on an event loop that all attackers share. */
    ManagedChannel attacker() {
        return channel(builder(attackers));
    }

    /** A separate connection, on an event loop that attackers cannot block. */
    ManagedChannel bystander() {
        return channel(builder(bystanders));
    }

    NettyChannelBuilder builder(EventLoopGroup threads) {
        return builder(port, threads);
    }

    static NettyChannelBuilder builder(int port, EventLoopGroup threads) {
        return NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .eventLoopGroup(threads)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .usePlaintext();
    }

    EventLoopGroup attackers() {
        return attackers;
    }

    private ManagedChannel channel(NettyChannelBuilder builder) {
        ManagedChannel channel = builder.build();
        synchronized (channels) {
            channels.add(channel);
        }
        return channel;
    }

    GetStatusResponse status() {
        return ClusterStateGrpc.newBlockingStub(bystander()).getStatus(GetStatusRequest.getDefaultInstance());
    }

    /** The sum of the values of a metric whose name and labels begin with {@code begin}. */
    double metric(String begin) {
        try (BufferedReader page =
                new BufferedReader(new InputStreamReader(metrics.toURL().openStream(), StandardCharsets.UTF_8))) {
            return page.lines()
                    .filter(line -> line.startsWith(begin))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The CPU time of the threads that work on queries. */
    long workedNanos() {
        Path tasks = Path.of("/proc", String.valueOf(process.pid()), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.mapToLong(thread -> {
                        String called = text(thread.resolve("comm")).strip();
                        String scheduled = text(thread.resolve("schedstat"));
                        return WORKERS.contains(called) && !scheduled.isEmpty()
                                ? Long.parseLong(scheduled.substring(0, scheduled.indexOf(' ')))
                                : 0;
                    })
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The content of a file; empty if the file no longer exists. */
    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return "";
            }
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until they have worked for {@code millis}. */
    void awaitWork(long millis) throws InterruptedException {
        long began = workedNanos();
        Await.until(() -> workedNanos() - began >= TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Waits until they have been idle for a while. Returns when the last work was seen, as {@link System#nanoTime}. */
    long awaitIdle() throws InterruptedException {
        long worked = workedNanos();
        long last = System.nanoTime();
        while (System.nanoTime() - last < IDLE_NANOS) {
            Thread.sleep(2);
            long now = workedNanos();
            if (now > worked) {
                worked = now;
                last = System.nanoTime();
            }
        }
        return last;
    }

    @Override
    public void close() {
        boolean alive = process.isAlive();
        channels.forEach(ManagedChannel::shutdownNow);
        for (EventLoopGroup threads : List.of(attackers, bystanders)) {
            Future<?> unused = threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
        process.destroyForcibly().onExit().join();
        if (!alive) {
            throw new AssertionError("the server died");
        }
    }
}

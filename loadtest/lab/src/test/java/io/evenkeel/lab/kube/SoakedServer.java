package io.evenkeel.lab.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.local.ServerUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A server in a separate process, and its callers. */
final class SoakedServer implements AutoCloseable {

    /** So little that plans of new kinds of pods fill it in the first round, and evict others. */
    private static final String MAX_PLAN_BYTES = "4000000";

    /** So few that pods are deleted in the first round whose tombstones replace others. */
    private static final String TOMBSTONES = "1000";

    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private final String name;
    private final ServerUnderTest server;
    private final RotatedCredentials credentials;
    private final Callers callers;
    private final List<String> severe = new CopyOnWriteArrayList<>();
    private @Nullable ProcessFigures first;

    /**
     * Starts it.
     *
     * @param assume whether its callers assume pods
     */
    SoakedServer(String name, boolean assume, RotatedCredentials credentials, String... options) throws IOException {
        this.name = name;
        this.credentials = credentials;
        callers = new Callers(name, assume, () -> connectWithCertificate(target()));
        List<String> all = new ArrayList<>(credentials.options(name));
        all.addAll(List.of("--max-plan-bytes", MAX_PLAN_BYTES, "--tombstones", TOMBSTONES));
        all.addAll(List.of(options));
        server = ServerUnderTest.serve(List.of("-Xmx256m"), this::hear, all.toArray(String[]::new));
    }

    private void hear(String line) {
        System.out.println(name + ": " + line);
        if (line.contains(" SEVERE ")) {
            severe.add(line);
        }
    }

    String target() {
        return server.target();
    }

    /** The port of its target, on loopback. */
    int port() {
        return Integer.parseInt(target().substring(target().lastIndexOf(':') + 1));
    }

    /** A new connection, with the current token for each call. Its calls are not retried. */
    PlacementClient connect() {
        try {
            return unretried(target()).tls(credentials.authority()).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The same, also with the certificate that clients have now.
     *
     * @param target the address at which the server is reached
     */
    PlacementClient connectWithCertificate(String target) {
        try {
            return credentials.identified(unretried(target)).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RemotePlacement.Builder unretried(String target) {
        return RemotePlacement.builder(target)
                .token(credentials::token)
                .attempts(1)
                .deadline(DEADLINE);
    }

    Callers callers() {
        return callers;
    }

    /** Requires that it has not failed, and holds no more than after the first round. */
    void requireFlat(int round) throws IOException, InterruptedException {
        ProcessFigures now = ProcessFigures.of(server.pid());
        System.out.printf("round %d: %s: %s%n", round, name, now);
        assertEquals(List.of(), severe, name);
        if (first == null) {
            first = now;
        }
        assertEquals(List.of(), now.growth(first), name);
    }

    @Override
    public void close() {
        callers.close();
        server.close();
    }
}

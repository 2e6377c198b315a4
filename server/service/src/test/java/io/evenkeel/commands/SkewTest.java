package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.Run;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.ScriptedApiServer;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the command {@code skew}. */
final class SkewTest {
    private static Run skew(String... arguments) {
        List<String> all = new ArrayList<>(List.of("skew", "--cluster", "uneven.yaml"));
        all.addAll(List.of(arguments));
        return CommandFiles.run(all.toArray(String[]::new));
    }

    @Test
    void constraintsOfTheNamespace_areListed_worstFirst() throws IOException {
        CommandFiles.assertOutput("skew.txt", 1, skew("-n", "shop"));
    }

    @Test
    void domainsOfNamedWorkloads_areShown() throws IOException {
        CommandFiles.assertOutput("skew-domains.txt", 1, skew("-n", "shop", "deployment/web", "StatefulSet/db"));
    }

    @Test
    void allNamespaces_orOnlyViolations_areListed() {
        Run all = skew("-A");
        assertTrue(all.out().startsWith("2 of 3 workloads violate a constraint.\n"), all.out());
        assertFalse(all.out().contains("DaemonSet"), all.out());
        Run violated = skew("-A", "--violated");
        assertTrue(violated.out().startsWith("2 of 2 workloads violate a constraint.\n"), violated.out());
        assertEquals(0, skew("-n", "kube-system").exitCode());
    }

    @Test
    void json_hasTheMessages() {
        Run run = skew("-n", "shop", "Deployment/web", "-o", "json");
        assertEquals(1, run.exitCode(), run::err);
        String json = run.out().replaceAll("\\s+", " ");
        assertTrue(
                json.startsWith(
                        "{ \"workloads\": [ { \"workload\": { \"namespace\": \"shop\", \"kind\": \"Deployment\","
                                + " \"name\": \"web\" }, \"podCount\": \"7\", \"pendingPodCount\": \"1\","),
                json);
        assertTrue(json.contains("{ \"value\": \"c\", \"podCount\": \"0\" }"), json);
    }

    @Test
    void server_givesTheSameAsFiles() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("uneven.yaml"));
            CommandFiles.assertOutput(
                    "skew.txt", 1, CommandFiles.run("skew", "--server", ServedFiles.address(server), "-n", "shop"));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void watch_printsATableForEachChange_untilNobodyReads() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("uneven.yaml"));
            BlockingQueue<String> tables = new LinkedBlockingQueue<>();
            AtomicBoolean isClosed = new AtomicBoolean();
            CommandLine commands = Evenkeel.commandLine();
            commands.setOut(new PrintWriter(reader(tables, isClosed)));
            CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
                    () -> commands.execute("skew", "--server", ServedFiles.address(server), "-n", "shop", "-w"));
            assertEquals(Files.readString(CommandFiles.path("skew.txt")), tables.take());

            add(server, "a1");
            add(server, "b1");
            String second = tables.take();
            assertTrue(second.startsWith("\n2 of 4 workloads violate a constraint.\n"), second);
            assertTrue(second.contains("shop/Deployment/new "), second);

            isClosed.set(true);
            add(server, "c1");
            assertEquals(1, exitCode.get());
            assertEquals(List.of(), List.copyOf(tables));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void watch_followsAnApiServer(@TempDir Path directory) throws Exception {
        try (ScriptedApiServer api = ScriptedApiServer.start()) {
            ServedFiles.put(api, CommandFiles.path("uneven.yaml"));
            String kubeconfig = api.kubeconfig(directory, "", "").toString();
            BlockingQueue<String> tables = new LinkedBlockingQueue<>();
            AtomicBoolean isClosed = new AtomicBoolean();
            CommandLine commands = Evenkeel.commandLine();
            commands.setOut(new PrintWriter(reader(tables, isClosed)));
            CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
                    () -> commands.execute("skew", "--kube", "--kubeconfig", kubeconfig, "-w"));
            assertEquals(Files.readString(CommandFiles.path("skew.txt")), tables.take());

            put(api, "a1");
            put(api, "b1");
            String next = tables.take();
            while (!next.contains("shop/Deployment/new ")) {
                next = tables.take();
            }

            isClosed.set(true);
            put(api, "c1");
            assertEquals(1, exitCode.get());
        }
    }

    /** Adds a pod of a new workload. */
    private static void add(EvenkeelServer server, String node) {
        server.instance().clusterState().apply(Messages.apply(List.of(Messages.object(pod(node)))));
    }

    private static void put(ScriptedApiServer api, String node) {
        Pod.Builder pod = pod(node).toBuilder();
        api.put(ObjectKind.POD, pod.getMetadata().getUid(), version -> {
            pod.getMetadataBuilder().setResourceVersion(Long.toString(version));
            return pod.build().toByteArray();
        });
    }

    private static Pod pod(String node) {
        Pod.Builder pod = Messages.pod("new-" + node, node).toBuilder();
        pod.getMetadataBuilder()
                .setNamespace("shop")
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("Deployment")
                        .setName("new")
                        .setController(true));
        return pod.build();
    }

    /** Takes what is printed, until it is closed. */
    private static Writer reader(BlockingQueue<String> printed, AtomicBoolean isClosed) {
        return new Writer() {
            private final StringBuilder next = new StringBuilder();

            @Override
            public void write(char[] text, int from, int length) throws IOException {
                if (isClosed.get()) {
                    throw new IOException("Broken pipe");
                }
                next.append(text, from, length);
            }

            @Override
            public void flush() {
                if (!next.isEmpty()) {
                    printed.add(next.toString());
                    next.setLength(0);
                }
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void watch_needsAServer_orAnApiServer() {
        CommandFiles.rejection("evenkeel skew: -w needs --server or --kube", skew("-w"));
    }

    @Test
    void whatIsNotThere_isRejected() {
        CommandFiles.rejection(
                "evenkeel skew: namespace shop has no workload Deployment/none", skew("-n", "shop", "Deployment/none"));
        String namespace = CommandFiles.rejection("evenkeel skew: ", skew("-n", "none"));
        assertTrue(namespace.contains("namespace none has no pods"), namespace);
        Run both = skew("-A", "-n", "shop");
        assertEquals(2, both.exitCode(), both::out);
    }

    @Test
    void outputOfThePage_isThatOfTheCommand() throws IOException {
        String page = Files.readString(Path.of("../docs/skew.md"));
        for (String file : List.of("skew.txt", "skew-domains.txt")) {
            String output = Files.readString(CommandFiles.path(file));
            assertTrue(page.contains("```\n" + output + "```\n"), () -> output);
        }
    }
}

package io.evenkeel.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.evenkeel.cli.ForkedJava;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that DESIGN.md lists the classes that a unary Filter passes through. A debugger observes a real server in
 * another JVM while it answers a query whose pod and plan are cached.
 */
@Timeout(120)
final class FilterPathTest {
    /** How many classes a reader must know to follow a Filter, outside the engine and generated code. */
    private static final int MAX_CLASSES = 26;

    private static final String SECTION = "## The classes of a Filter\n";
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    /** Threads that check all calls, or expire assumed pods, at intervals. */
    private static final Set<String> TIMERS = Set.of("evenkeel-calls", "evenkeel-timer");

    private static final int OTHER_CALLS = 4;
    private static final Duration PAUSE = Duration.ofMillis(300);

    private static final FilterRequest QUERY = Messages.filter(Messages.web(Messages.hard(Messages.ZONE)));

    @Test
    void filter_passesThroughTheClassesThatTheDesignLists() throws Exception {
        Set<String> passed = passedByWarmFilter();
        // The transport's thread and the one that answers run at once, so the order of their entries varies.
        assertEquals(new TreeSet<>(listed()), passed);
        assertTrue(passed.size() <= MAX_CLASSES, () -> passed.size() + " classes");
    }

    /** The names in the second column of the table. */
    private static List<String> listed() throws IOException {
        String design = Files.readString(Path.of("../DESIGN.md"));
        int from = design.indexOf(SECTION);
        assertTrue(from >= 0, "DESIGN.md must have the section " + SECTION);
        List<String> names = new ArrayList<>();
        design.substring(from + SECTION.length())
                .lines()
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| "))
                .forEach(row ->
                        NAME.matcher(row.split("\\|", -1)[2]).results().forEach(name -> names.add(name.group(1))));
        return names;
    }

    /** The simple names of the top-level classes that the call enters. */
    private static Set<String> passedByWarmFilter() throws Exception {
        ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.transport().name().equals("dt_socket"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        Objects.requireNonNull(arguments.get("localAddress")).setValue("127.0.0.1");
        String address = connector.startListening(arguments);
        Process process = ForkedJava.of(
                        List.of("-agentlib:jdwp=transport=dt_socket,server=n,suspend=n,address=" + address),
                        Program.class,
                        List.of())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            VirtualMachine server = connector.accept(arguments);
            BufferedReader output = process.inputReader();
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(output.readLine()))
                    .usePlaintext()
                    .build();
            try {
                ClusterStateGrpc.newBlockingStub(channel).apply(Messages.apply(Messages.zones(2, 1)));
                PlacementGrpc.PlacementBlockingStub placement = PlacementGrpc.newBlockingStub(channel);
                for (int i = 0; i < 2; i++) {
                    assertEquals(1, placement.filter(QUERY).getAnswersCount());
                }
                return observed(server, () -> placement.filter(QUERY));
            } finally {
                channel.shutdownNow();
                server.dispose();
            }
        } finally {
            connector.stopListening(arguments);
            process.destroyForcibly();
        }
    }

    /** The classes that each of several calls enters before its answer arrives. */
    private static Set<String> observed(VirtualMachine server, Runnable call) throws InterruptedException {
        Set<String> entered = new ConcurrentSkipListSet<>();
        MethodEntryRequest entries = server.eventRequestManager().createMethodEntryRequest();
        entries.addClassFilter("io.evenkeel.*");
        entries.addClassExclusionFilter("io.evenkeel.engine.*");
        entries.addClassExclusionFilter("io.evenkeel.v1.*");
        // The thread continues once its entry is recorded, so all entries before the answer are.
        entries.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        entries.enable();
        Thread recorder = new Thread(() -> record(server, entered), "recorder");
        recorder.setDaemon(true);
        recorder.start();
        call.run();
        Set<String> path = new TreeSet<>(entered);
        for (int i = 0; i < OTHER_CALLS; i++) {
            // The server finishes a call after its answer has arrived here.
            Thread.sleep(PAUSE.toMillis());
            entered.clear();
            call.run();
            path.retainAll(new TreeSet<>(entered));
        }
        entries.disable();
        return path;
    }

    private static void record(VirtualMachine server, Set<String> entered) {
        try {
            while (true) {
                EventSet events = server.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof MethodEntryEvent entry
                            && !TIMERS.contains(entry.thread().name())) {
                        entered.add(topLevelName(entry.method().declaringType().name()));
                    }
                }
                events.resume();
            }
        } catch (VMDisconnectedException | InterruptedException e) {
            // The call is complete.
        }
    }

    private static String topLevelName(String type) {
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("[$/].*", "");
    }

    /** Serves until its input ends. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws IOException {
            try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
                System.out.println(server.port());
                int end = System.in.read();
                if (end != -1) {
                    throw new IllegalStateException("the input must be empty");
                }
            }
        }
    }
}

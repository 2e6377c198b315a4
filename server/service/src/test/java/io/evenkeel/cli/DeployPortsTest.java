package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.commands.Evenkeel;
import io.evenkeel.service.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine.ParseResult;

/** Checks that probes, services and network policies of the manifests and the chart use ports that containers open. */
final class DeployPortsTest {
    private static final Path MANIFESTS = Path.of("../deploy");

    /** What the chart renders with different values. */
    private static final Path RENDERED = Path.of("chart/testdata/objects");

    /** The image has a tag or a digest. */
    private static final Pattern IMAGE = Pattern.compile("registry\\.example/evenkeel[:@].*");

    /** The option of kube-scheduler for its HTTPS port. */
    private static final String SECURE_PORT = "--secure-port=";

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** The files that are applied together. */
    private static List<List<Path>> applied() throws IOException {
        List<List<Path>> applied = new ArrayList<>();
        applied.add(files(MANIFESTS));
        files(RENDERED).forEach(file -> applied.add(List.of(file)));
        return applied;
    }

    /** The documents of a kind. */
    private static List<Object> documents(String kind, List<Path> files) throws IOException {
        List<Object> documents = new ArrayList<>();
        for (Path file : files) {
            for (Object each : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(Files.readString(file))) {
                if (kind.equals(at(each, "kind"))) {
                    documents.add(each);
                }
            }
        }
        return documents;
    }

    /** Whether labels with these names and values select the pods of a deployment. */
    private static boolean isSelectedBy(@Nullable Object selector, Object deployment) {
        return selector instanceof Map<?, ?> wanted
                && at(deployment, "spec", "template", "metadata", "labels") instanceof Map<?, ?> labels
                && labels.entrySet().containsAll(wanted.entrySet());
    }

    /** The value at this path of nested names, or null. */
    private static @Nullable Object at(Object part, String... path) {
        Object found = part;
        for (String name : path) {
            found = found instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return found;
    }

    private static List<?> list(Object part, String... path) {
        return at(part, path) instanceof List<?> list ? list : List.of();
    }

    /** The ports that its arguments open. */
    private static Set<Integer> opened(Object container) {
        String[] arguments = list(container, "args").toArray(String[]::new);
        Set<Integer> ports = new TreeSet<>();
        if (!IMAGE.matcher(String.valueOf(at(container, "image"))).matches()) {
            for (String argument : arguments) {
                if (argument.startsWith(SECURE_PORT)) {
                    ports.add(Integer.valueOf(argument.substring(SECURE_PORT.length())));
                }
            }
            return ports;
        }
        ParseResult serve = Evenkeel.commandLine().parseArgs(arguments).subcommand();
        for (Listener each : serve.matchedOptionValue("--listen", List.<Listener>of())) {
            if (each instanceof Listener.Tcp tcp) {
                ports.add(tcp.address().getPort());
            }
        }
        for (String option : List.of("--metrics", "--admission")) {
            InetSocketAddress http = serve.matchedOptionValue(option, null);
            if (http != null) {
                ports.add(http.getPort());
            }
        }
        return ports;
    }

    private static Set<Integer> declared(Object container) {
        Set<Integer> ports = new TreeSet<>();
        for (Object port : list(container, "ports")) {
            ports.add((Integer) at(port, "containerPort"));
        }
        return ports;
    }

    private static void assertProbesNameAPort(Object container) {
        List<?> names =
                list(container, "ports").stream().map(port -> at(port, "name")).toList();
        for (String probe : List.of("readinessProbe", "livenessProbe")) {
            if (at(container, probe) != null) {
                assertTrue(names.contains(at(container, probe, "httpGet", "port")), container::toString);
            }
        }
    }

    /** A service without a target port uses its own port number. */
    private static void assertServicesGoTo(Set<Integer> opened, Object deployment, List<Object> services) {
        for (Object service : services) {
            if (isSelectedBy(at(service, "spec", "selector"), deployment)) {
                for (Object port : list(service, "spec", "ports")) {
                    assertNull(at(port, "targetPort"), service::toString);
                    assertTrue(opened.contains(at(port, "port")), service::toString);
                }
            }
        }
    }

    /** The ports of a deployment's pods that policies open. */
    private static Set<Integer> reachable(Object deployment, List<Object> policies) {
        Set<Integer> ports = new TreeSet<>();
        for (Object policy : policies) {
            if (isSelectedBy(at(policy, "spec", "podSelector", "matchLabels"), deployment)
                    && Objects.equals(at(deployment, "metadata", "namespace"), at(policy, "metadata", "namespace"))) {
                for (Object rule : list(policy, "spec", "ingress")) {
                    assertFalse(list(rule, "from").isEmpty(), () -> "all may come by " + rule);
                    for (Object port : list(rule, "ports")) {
                        ports.add((Integer) at(port, "port"));
                    }
                }
            }
        }
        return ports;
    }

    @Test
    void portThatPrometheusScrapes_isOneOfADeployment() throws IOException {
        Object monitor = documents("PodMonitor", files(MANIFESTS)).get(0);
        Set<Object> named = new HashSet<>();
        for (Object deployment : documents("Deployment", files(RENDERED))) {
            if (isSelectedBy(at(monitor, "spec", "selector", "matchLabels"), deployment)) {
                assertEquals(at(monitor, "metadata", "namespace"), at(deployment, "metadata", "namespace"));
                for (Object container : list(deployment, "spec", "template", "spec", "containers")) {
                    list(container, "ports").forEach(port -> named.add(at(port, "name")));
                }
            }
        }
        for (Object endpoint : list(monitor, "spec", "podMetricsEndpoints")) {
            assertTrue(named.contains(at(endpoint, "port")), endpoint::toString);
        }
    }

    @Test
    void portsThatContainersOpen_areDeclared_andThoseOfTheNetworkPolicy() throws IOException {
        int deployments = 0;
        for (List<Path> files : applied()) {
            List<Object> policies = documents("NetworkPolicy", files);
            for (Object deployment : documents("Deployment", files)) {
                deployments++;
                Set<Integer> opened = new TreeSet<>();
                for (Object container : list(deployment, "spec", "template", "spec", "containers")) {
                    assertEquals(opened(container), declared(container), container::toString);
                    assertProbesNameAPort(container);
                    opened.addAll(opened(container));
                }
                assertFalse(opened.isEmpty(), deployment::toString);
                if (!policies.isEmpty()) {
                    assertEquals(opened, reachable(deployment, policies), deployment::toString);
                }
                assertServicesGoTo(opened, deployment, documents("Service", files));
            }
        }
        assertEquals(5, deployments);
    }
}

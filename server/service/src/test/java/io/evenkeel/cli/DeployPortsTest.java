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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine.ParseResult;

/** Checks that probes, services and network policies in the manifests use ports that the containers open. */
final class DeployPortsTest {
    private static final Path MANIFESTS = Path.of("../deploy");
    private static final String IMAGE = "registry.example/evenkeel:";

    /** The option of kube-scheduler for its HTTPS port. */
    private static final String SECURE_PORT = "--secure-port=";

    /** The documents of a kind in all files. */
    private static List<Object> documents(String kind) throws IOException {
        List<Object> documents = new ArrayList<>();
        try (Stream<Path> files = Files.list(MANIFESTS)) {
            for (Path file : files.sorted().toList()) {
                for (Object each : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(Files.readString(file))) {
                    if (kind.equals(at(each, "kind"))) {
                        documents.add(each);
                    }
                }
            }
        }
        return documents;
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
        if (!String.valueOf(at(container, "image")).startsWith(IMAGE)) {
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
    private static void assertServicesGoTo(Set<Integer> opened, Object deployment) throws IOException {
        Object labels = at(deployment, "spec", "template", "metadata", "labels");
        for (Object service : documents("Service")) {
            if (Objects.equals(labels, at(service, "spec", "selector"))) {
                for (Object port : list(service, "spec", "ports")) {
                    assertNull(at(port, "targetPort"), service::toString);
                    assertTrue(opened.contains(at(port, "port")), service::toString);
                }
            }
        }
    }

    /** The ports of a deployment's pods that policies open. */
    private static Set<Integer> reachable(Object deployment) throws IOException {
        Set<Integer> ports = new TreeSet<>();
        Object labels = at(deployment, "spec", "template", "metadata", "labels");
        for (Object policy : documents("NetworkPolicy")) {
            if (Objects.equals(labels, at(policy, "spec", "podSelector", "matchLabels"))
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
        Object monitor = documents("PodMonitor").get(0);
        Set<Object> named = new HashSet<>();
        for (Object deployment : documents("Deployment")) {
            if (Objects.equals(
                    at(monitor, "spec", "selector", "matchLabels"),
                    at(deployment, "spec", "template", "metadata", "labels"))) {
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
        List<Object> deployments = documents("Deployment");
        assertEquals(3, deployments.size());
        for (Object deployment : deployments) {
            Set<Integer> opened = new TreeSet<>();
            for (Object container : list(deployment, "spec", "template", "spec", "containers")) {
                assertEquals(opened(container), declared(container), container::toString);
                assertProbesNameAPort(container);
                opened.addAll(opened(container));
            }
            assertFalse(opened.isEmpty(), deployment::toString);
            assertEquals(opened, reachable(deployment), deployment::toString);
            assertServicesGoTo(opened, deployment);
        }
    }
}

package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.commands.Evenkeel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Checks the arguments and environment of Evenkeel's containers in the manifests against its command line. */
final class DeployManifestsTest {
    private static final Path MANIFESTS = Path.of("../deploy");
    private static final Pattern IMAGE = Pattern.compile("registry[.]example/evenkeel[:@].*");

    /** What the Helm chart contains for some values, as its own test has checked. */
    private static final Path CHART = Path.of("chart/testdata/objects");

    /** A container of Evenkeel. */
    private record Container(List<String> arguments, Map<String, String> environment) {
        static Container of(Map<?, ?> container) {
            List<String> arguments = new ArrayList<>();
            list(container, "args").forEach(each -> arguments.add((String) each));
            Map<String, String> environment = new LinkedHashMap<>();
            for (Object each : list(container, "env")) {
                Map<?, ?> variable = (Map<?, ?>) each;
                environment.put((String) variable.get("name"), (String) variable.get("value"));
            }
            return new Container(arguments, environment);
        }

        private static List<?> list(Map<?, ?> container, String field) {
            return container.get(field) instanceof List<?> list ? list : List.of();
        }

        /** The error message of the command line; empty if there is none. */
        String fault() throws IOException {
            String launcher = Files.readString(Path.of("../../evenkeel"));
            String ofCommand =
                    arguments.isEmpty() ? "" : "EVENKEEL_" + arguments.get(0).toUpperCase(Locale.ROOT) + "_";
            for (String name : environment.keySet()) {
                if (!name.startsWith(ofCommand) && !launcher.contains("${" + name + ":-}")) {
                    return "nothing reads " + name;
                }
            }
            CommandLine commands = Evenkeel.commandLine();
            try {
                String[] given = arguments.toArray(String[]::new);
                commands.parseArgs(
                        EnvironmentOptions.read(commands, environment, given).arguments());
                return "";
            } catch (ParameterException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    /** The containers of Evenkeel in the documents of a file. */
    private static List<Container> containers(String manifest) {
        List<Container> found = new ArrayList<>();
        new Yaml(new SafeConstructor(new LoaderOptions()))
                .loadAll(manifest)
                .forEach(each -> addContainers(each, found));
        return found;
    }

    private static void addContainers(Object part, List<Container> found) {
        if (part instanceof List<?> list) {
            list.forEach(each -> addContainers(each, found));
        } else if (part instanceof Map<?, ?> map) {
            if (map.get("image") instanceof String image && IMAGE.matcher(image).matches()) {
                found.add(Container.of(map));
            }
            map.values().forEach(each -> addContainers(each, found));
        }
    }

    @Test
    void argumentsAndVariables_areOnesThatTheCommandLineTakes() throws IOException {
        int following = 0;
        for (Path directory : List.of(MANIFESTS, CHART)) {
            try (Stream<Path> files = Files.list(directory).filter(Files::isRegularFile)) {
                for (Path file : files.sorted().toList()) {
                    for (Container container : containers(Files.readString(file))) {
                        assertEquals("", container.fault(), file::toString);
                        following += container.arguments.contains("--kube") ? 1 : 0;
                    }
                }
            }
        }
        assertEquals(3, following);
    }

    @Test
    @Tag("go")
    void chart_rendersTheObjects_andRejectsValuesThatCannotWork() throws Exception {
        Process go = new ProcessBuilder("go", "test", "-trimpath", "-count=1", ".")
                .directory(Path.of("chart").toFile())
                .inheritIO()
                .start();
        assertEquals(0, go.waitFor());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    - --lame-duck=5s      | - --lame-dukc=5s              | Unknown option: '--lame-dukc=5s'
                    - --lame-duck=5s      | - --lame-duck=soon            | Invalid value for option '--lame-duck'
                    - --kube              | - --kube=perhaps              | Invalid value for option '--kube'
                    - serve               | - sreve                       | Unmatched arguments
                    EVENKEEL_JAVA_OPTS    | EVENKEEL_JAVA_OPTIONS         | nothing reads EVENKEEL_JAVA_OPTIONS
                    EVENKEEL_JAVA_OPTS    | EVENKEEL_SERVE_STOP           | environment variable EVENKEEL_SERVE_STOP is not an option
                    """)
    void mistake_isFound(String right, String wrong, String fault) throws IOException {
        String manifest = Files.readString(CHART.resolve("default.yaml"));
        assertTrue(manifest.contains(right), right);
        Container container = containers(manifest.replace(right, wrong)).get(0);
        assertTrue(container.fault().startsWith(fault), container::toString);
    }
}

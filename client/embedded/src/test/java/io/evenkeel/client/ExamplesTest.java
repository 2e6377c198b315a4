package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.examples.EmbeddedExample;
import io.evenkeel.client.examples.PackedExample;
import io.evenkeel.client.examples.RemoteExample;
import io.evenkeel.client.examples.StreamExample;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the documented examples, each with only the class path that its user needs, and checks that the documentation
 * shows exactly these examples.
 */
@Timeout(120)
final class ExamplesTest {
    private static final String EXAMPLES = "client/embedded/src/test/java/io/evenkeel/client/examples/";
    private static final String GO = "client/go/example/";

    /** Jars that the remote client does not need. */
    private static final List<String> SERVER = List.of(
            "/server/engine/target/",
            "/server/placement/target/",
            "/server/service/target/",
            "/client/embedded/target/classes",
            "/agrona/",
            "/jackson",
            "/snakeyaml/",
            "/micrometer",
            "/picocli/",
            "/grpc-services/");

    private static final String PARAMETERS = "String target, java.util.List<io.evenkeel.v1.ClusterObject> snapshot,"
            + " io.evenkeel.v1.ClusterObject assumedPod, io.evenkeel.v1.Pod nextPod";

    private static final List<String> NETTY = List.of("/grpc-netty-shaded/");

    /** Jars that the embedded client does not need: those for transports, files, metrics and the command line. */
    private static final List<String> TRANSPORT = List.of(
            "/grpc-",
            "/proto/grpc/target/",
            "/client/remote/target/",
            "/server/service/target/",
            "/protobuf-java-util/",
            "/prometheus",
            "/jackson",
            "/snakeyaml/",
            "/micrometer",
            "/picocli/");

    @Test
    void remoteExamples_run_withoutTheServer() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0));
                PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.port())) {
            ClientWorld.add(client, ClientWorld.zones(2, 1, 1));
            String target = "127.0.0.1:" + server.port();
            assertEquals(
                    List.of(
                            "2 of 3 nodes may take it",
                            "node-b, score 0",
                            "node-c, score 0",
                            "1 node(s) didn't match pod topology spread constraints"),
                    ForkedProgram.run(RemoteExample.class, SERVER, target));
            assertEquals(
                    List.of("node-b, score 0", "node-c, score 0"),
                    ForkedProgram.run(PackedExample.class, SERVER, target));
        }
    }

    @Test
    void streamExample_runs_withoutTheServer() throws IOException {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            assertEquals(
                    List.of("node-b, 0 objects refused"),
                    ForkedProgram.run(StreamExample.class, SERVER, "127.0.0.1:" + server.port()));
        }
    }

    @Test
    void embeddedExample_runs_withoutATransport() {
        assertEquals(
                List.of("web-0 to node-a", "web-1 to node-b", "web-2 to node-c"),
                ForkedProgram.run(EmbeddedExample.class, TRANSPORT));
    }

    @Test
    void examples_fail_withoutWhatTheyNeed_soThatLeavingOutIsSeenToWork() {
        String withoutServer = String.valueOf(
                assertThrows(AssertionError.class, () -> ForkedProgram.run(EmbeddedExample.class, SERVER))
                        .getMessage());
        assertTrue(withoutServer.contains("NoClassDefFoundError"), withoutServer);
        String withoutNetty = String.valueOf(
                assertThrows(AssertionError.class, () -> ForkedProgram.run(RemoteExample.class, NETTY, "127.0.0.1:1"))
                        .getMessage());
        assertTrue(withoutNetty.contains("Provider"), withoutNetty);
    }

    @Test
    void javadoc_showsTheExamples() {
        assertShows("client/remote/src/main/java/io/evenkeel/client/remote/RemotePlacement.java", "RemoteExample");
        assertShows("client/api/src/main/java/io/evenkeel/client/EvaluationStream.java", "PackedExample");
        assertShows(
                "client/embedded/src/main/java/io/evenkeel/client/embedded/EmbeddedPlacement.java", "EmbeddedExample");
    }

    /** The documentation omits only the class around the example, and the variables that are parameters here. */
    @Test
    void readmes_showNoOtherJava_thanTheExamples_andTheirImportsSuffice(@TempDir Path directory) throws IOException {
        Set<String> examples = Stream.of("RemoteExample", "PackedExample", "EmbeddedExample", "StreamExample")
                .map(ExamplesTest::example)
                .collect(Collectors.toSet());
        int shown = 0;
        for (String block : blocks("java")) {
            int body = block.indexOf("\n\n");
            String imports = block.substring(0, body);
            assertTrue(imports.lines().allMatch(line -> line.startsWith("import ")), block);
            assertTrue(
                    examples.contains(block.substring(body).strip()),
                    "client/README.md must show the examples as they are in " + EXAMPLES + ", showed\n" + block);
            Path source = directory.resolve("Shown" + ++shown + ".java");
            Files.writeString(
                    source,
                    "%s%nclass Shown%d { void run(%s) {%n%s%n} }%n"
                            .formatted(imports, shown, PARAMETERS, block.substring(body)));
            StringWriter problems = new StringWriter();
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            List<String> options = List.of(
                    "-proc:none",
                    "-d",
                    directory.toString(),
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
            assertTrue(
                    compiler.getTask(
                                    problems,
                                    null,
                                    null,
                                    options,
                                    null,
                                    compiler.getStandardFileManager(null, null, null)
                                            .getJavaFileObjects(source))
                            .call(),
                    problems::toString);
        }
        assertEquals(3, shown);
    }

    @Test
    void readme_showsTheGoOfTheExamples() {
        String program = ProjectFiles.read(GO + "ask/main.go");
        String sync = ProjectFiles.read(GO + "sync.go");
        String feed = sync.substring(sync.indexOf("// begin\n") + "// begin\n".length(), sync.indexOf("// end"));
        assertEquals(List.of(program.strip(), feed.strip()), blocks("go"));
    }

    @Test
    void readme_namesTheCoordinatesOfTheClient() {
        String pom = ProjectFiles.read("client/pom.xml").replaceAll("\\s+", "");
        for (String block : blocks("xml")) {
            String coordinates = block.replaceAll("\\s+|</?dependency>", "");
            String artifact = coordinates.substring(coordinates.indexOf("<artifactId>"));
            assertTrue(artifact.startsWith("<artifactId>evenkeel-client-remote</artifactId>"), block);
            String parent = coordinates.replace("evenkeel-client-remote", "evenkeel");
            assertTrue(pom.contains("<parent>" + parent + "</parent>"), block);
        }
        assertEquals(1, blocks("xml").size());
    }

    /** The code blocks of the pages about the clients. */
    private static List<String> blocks(String language) {
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(ProjectFiles.read("client/README.md") + ProjectFiles.read("client/docs/go.md"));
        List<String> blocks = new ArrayList<>();
        while (block.find()) {
            blocks.add(block.group(1).strip());
        }
        return blocks;
    }

    private static void assertShows(String file, String example) {
        String shown = " * <pre>{@code\n"
                + example(example)
                        .lines()
                        .map(line -> " * " + line + "\n")
                        .collect(Collectors.joining())
                        .replace(" * \n", " *\n")
                + " * }</pre>\n";
        assertTrue(ProjectFiles.read(file).contains(shown), file + " must show\n" + shown);
    }

    /** The text between the marks in the example, without indentation. */
    private static String example(String name) {
        String source = ProjectFiles.read(EXAMPLES + name + ".java");
        int begin = source.indexOf("// begin\n") + "// begin\n".length();
        int end = source.indexOf("        // end", begin);
        return source.substring(begin, end).stripTrailing().stripIndent();
    }
}

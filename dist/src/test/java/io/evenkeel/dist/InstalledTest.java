package io.evenkeel.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the archive where it is unpacked, with java alone on the PATH. */
final class InstalledTest {
    private static final String VERSION = System.getProperty("evenkeel.version");
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    @TempDir
    private static Path directory = Path.of("");

    private static Path launcher = Path.of("");
    private static Path path = Path.of("");

    @TempDir
    private Path elsewhere = Path.of("");

    @BeforeAll
    static void unpack() throws Exception {
        launcher = unpack(directory.resolve("a folder, with spaces"));
        path = Files.createDirectories(directory.resolve("path"));
        Files.createSymbolicLink(path.resolve("java"), JAVA);
    }

    /** Unpacks the archive into a new folder; returns the launcher. */
    private static Path unpack(Path into) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(into);
        Path archive = Path.of("target", "evenkeel-" + VERSION + ".tar.gz").toAbsolutePath();
        Process tar = new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
                .inheritIO()
                .start();
        assertEquals(0, tar.waitFor());
        try (Stream<Path> unpacked = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("evenkeel-" + VERSION)), unpacked.toList());
        }
        return folder.resolve("evenkeel-" + VERSION).resolve("bin/evenkeel");
    }

    private record Outcome(int code, String text) {}

    private ProcessBuilder command(Path program, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(program.toString());
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder process = new ProcessBuilder(command).directory(elsewhere.toFile());
        process.environment().keySet().removeIf(name -> name.startsWith("EVENKEEL_") || name.equals("JAVA_HOME"));
        process.environment().put("PATH", path.toString());
        return process;
    }

    private Outcome run(Path program, String... arguments) throws IOException, InterruptedException {
        Process process = command(program, arguments).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), text);
    }

    private void assertVersion(Path program) throws IOException, InterruptedException {
        assertEquals(new Outcome(0, "evenkeel " + VERSION + "\n"), run(program, "--version"));
    }

    @Test
    void archive_holdsTheJarsThatRun_andNoneOfTests() throws IOException {
        Path home = launcher.resolve("../..").normalize();
        List<String> jars;
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            jars = files.map(file -> file.getFileName().toString()).sorted().toList();
        }
        assertTrue(jars.contains("evenkeel-server-" + VERSION + ".jar"), jars::toString);
        assertFalse(jars.stream().anyMatch(jar -> jar.startsWith("junit")), jars::toString);
        assertTrue(Files.isRegularFile(home.resolve("LICENSE")));
        assertTrue(Files.isRegularFile(home.resolve("deploy/rbac.yaml")));
    }

    @Test
    void program_runsFromAnywhere_alsoThroughLinks() throws Exception {
        assertVersion(launcher);
        assertVersion(elsewhere.relativize(launcher));
        Path readlink = path.resolve("readlink");
        Files.createSymbolicLink(readlink, which("readlink"));
        try {
            Path link = Files.createSymbolicLink(elsewhere.resolve("a link"), launcher);
            assertVersion(link);
            Path further = Files.createDirectories(elsewhere.resolve("bin")).resolve("evenkeel");
            assertVersion(Files.createSymbolicLink(further, Path.of("..", "a link")));
        } finally {
            Files.delete(readlink);
        }
    }

    private static Path which(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(each -> Path.of(each, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void server_answers_andEndsWhenTold() throws Exception {
        Process server = command(launcher, "serve", "--listen", "127.0.0.1:0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = server.inputReader()) {
            String line = Objects.requireNonNull(out.readLine());
            assertTrue(line.startsWith("evenkeel listens on 127.0.0.1:"), line);
            Path corpus = Path.of("../server/service/src/test/resources/conformance/basic.jsonl.gz");
            Outcome compared = run(
                    launcher,
                    "conformance",
                    "--target",
                    line.substring(line.lastIndexOf(' ') + 1),
                    corpus.toAbsolutePath().toString());
            assertEquals(0, compared.code, compared.text);
            // The launcher gives its process to java, so the signal reaches the server.
            assertTrue(server.toHandle().destroy());
            assertTrue(server.waitFor(1, TimeUnit.MINUTES));
            assertEquals(143, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void preparedServer_takesItsClassesFromTheArchive_andDoesWithoutItWhereItDoesNotFit() throws Exception {
        // Java archives no classes of jars whose path has spaces.
        Path prepared = unpack(directory.resolve("prepared"));
        Path archive = prepared.resolve("../../classes.jsa").normalize();
        assertEquals(new Outcome(0, "evenkeel: made " + archive + "\n"), run(prepared, "prepare"));
        ProcessBuilder shown = command(prepared, "place", "--version").redirectErrorStream(true);
        shown.environment().put("EVENKEEL_JAVA_OPTS", "-Xlog:class+load");
        Process place = shown.start();
        String loaded = new String(place.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(
                loaded.contains("io.evenkeel.cli.Place source: shared objects file (top)"),
                "no class came from the archive");
        // Java can no longer use it, since the jar is another one.
        Path jar = prepared.resolve("../../lib/evenkeel-server-" + VERSION + ".jar")
                .normalize();
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        assertEquals(new Outcome(0, "evenkeel " + VERSION + "\n"), run(prepared, "place", "--version"));
        Files.delete(archive);
        Files.writeString(archive, "no archive");
        assertEquals(new Outcome(0, "evenkeel " + VERSION + "\n"), run(prepared, "place", "--version"));
    }

    @Test
    void commandsThatStartAServer_runWithoutACheckout() throws Exception {
        Outcome demo = run(launcher, "demo", "--nodes", "60", "--pods", "600");
        assertEquals(0, demo.code, demo.text);
        assertFalse(demo.text.contains("WARNING"), demo.text);
    }

    @Test
    void missingJava_isToldInOneLine() throws Exception {
        Files.delete(path.resolve("java"));
        try {
            Outcome outcome = run(launcher, "serve");
            assertEquals(
                    new Outcome(2, "evenkeel: no java found: java (from the PATH); install Java 17 or later\n"),
                    outcome);
        } finally {
            Files.createSymbolicLink(path.resolve("java"), JAVA);
        }
    }
}

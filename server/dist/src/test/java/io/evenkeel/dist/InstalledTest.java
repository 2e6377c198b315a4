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
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests the unpacked archive, with only java on the PATH. */
@Execution(ExecutionMode.CONCURRENT)
final class InstalledTest {
    private static final String VERSION = System.getProperty("evenkeel.version");
    private static final Instant BUILT = Instant.parse("2026-01-01T00:00:00Z");
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    @TempDir
    private static Path directory = Path.of("");

    private static Path launcher = Path.of("");

    @TempDir
    private Path elsewhere = Path.of("");

    private Path path = Path.of("");

    @BeforeAll
    static void unpack() throws Exception {
        launcher = unpack(directory.resolve("a folder, with spaces"));
    }

    @BeforeEach
    void usePath() throws IOException {
        path = Files.createDirectories(elsewhere.resolve("path"));
        Files.createSymbolicLink(path.resolve("java"), JAVA);
    }

    /** Unpacks the archive into a new folder. Returns the launcher. */
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

    /** Otherwise builds of the same sources would not be reproducible. */
    @Test
    void archive_doesNotReportWhenItWasBuilt() throws IOException {
        Path home = launcher.resolve("../..").normalize();
        try (Stream<Path> unpacked = Files.walk(home)) {
            for (Path each : unpacked.filter(Files::isRegularFile).toList()) {
                assertEquals(BUILT, Files.getLastModifiedTime(each).toInstant(), each::toString);
                if (each.getFileName().toString().startsWith("evenkeel-")
                        && each.toString().endsWith(".jar")) {
                    assertEntriesTellNothing(each);
                }
            }
        }
    }

    private static void assertEntriesTellNothing(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                assertEquals(BUILT, entry.getTimeLocal().toInstant(ZoneOffset.UTC), () -> jar + ": " + entry);
            }
        }
    }

    @Test
    void program_runsFromAnywhere_alsoThroughLinks() throws Exception {
        assertVersion(launcher);
        assertVersion(elsewhere.relativize(launcher));
        Files.createSymbolicLink(path.resolve("readlink"), which("readlink"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("a link"), launcher);
        assertVersion(link);
        Path further = Files.createDirectories(elsewhere.resolve("bin")).resolve("evenkeel");
        assertVersion(Files.createSymbolicLink(further, Path.of("..", "a link")));
    }

    private static Path which(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(each -> Path.of(each, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void server_answers_andStopsWhenSignalled() throws Exception {
        assertServes();
    }

    private void assertServes(String... further) throws Exception {
        List<String> options = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        options.addAll(List.of(further));
        Process server = command(launcher, options.toArray(String[]::new))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = server.inputReader()) {
            String line = Objects.requireNonNull(out.readLine());
            assertTrue(line.startsWith("evenkeel listens on 127.0.0.1:"), line);
            Path corpus = Path.of("../placement/src/test/resources/conformance/basic.jsonl.gz");
            Outcome compared = run(
                    launcher,
                    "conformance",
                    "--target",
                    line.substring(line.lastIndexOf(' ') + 1),
                    corpus.toAbsolutePath().toString());
            assertEquals(0, compared.code, compared.text);
            // The launcher execs java, so the signal reaches the server.
            assertTrue(server.toHandle().destroy());
            assertTrue(server.waitFor(1, TimeUnit.MINUTES));
            assertEquals(143, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    @Tag("long")
    void preparedServer_takesItsClassesFromTheArchive_andDoesWithoutItIfItDoesNotFit() throws Exception {
        // Java does not archive classes of jars whose path contains spaces.
        Path prepared = unpack(directory.resolve("prepared"));
        // Java 25 archives linked classes, in an archive with one layer.
        boolean linked = Runtime.version().feature() >= 25;
        Path archive =
                prepared.resolve("../../classes." + (linked ? "aot" : "jsa")).normalize();
        assertEquals(new Outcome(0, "evenkeel: created " + archive + "\n"), run(prepared, "prepare"));
        ProcessBuilder shown = command(prepared, "place", "--version").redirectErrorStream(true);
        shown.environment().put("EVENKEEL_JAVA_OPTS", "-Xlog:class+load");
        Process place = shown.start();
        String loaded = new String(place.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(
                loaded.contains("io.evenkeel.commands.Place source: shared objects file" + (linked ? "" : " (top)")),
                "no class came from the archive");
        // Java can no longer use it, because the jar has changed.
        Path jar = prepared.resolve("../../lib/evenkeel-server-" + VERSION + ".jar")
                .normalize();
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));
        assertEquals(new Outcome(0, "evenkeel " + VERSION + "\n"), run(prepared, "place", "--version"));
        Files.delete(archive);
        Files.writeString(archive, "no archive");
        assertEquals(new Outcome(0, "evenkeel " + VERSION + "\n"), run(prepared, "place", "--version"));
    }

    @Test
    @Tag("long")
    void commandsThatStartAServer_runWithoutACheckout() throws Exception {
        Outcome demo = run(launcher, "demo", "--nodes", "60", "--pods", "600");
        assertEquals(0, demo.code, demo.text);
        assertFalse(demo.text.contains("WARNING"), demo.text);
    }

    @Test
    @Tag("long")
    void server_answers_onARuntimeOfTheModulesThatTheDocumentNames() throws Exception {
        String document = Files.readString(Path.of("../docs/startup.md"));
        Matcher named = Pattern.compile("jlink --add-modules (\\S+) ").matcher(document);
        assertTrue(named.find());
        Path runtime = directory.resolve("runtime");
        Process jlink = new ProcessBuilder(
                        JAVA.resolveSibling("jlink").toString(),
                        "--add-modules",
                        named.group(1),
                        "--output",
                        runtime.toString())
                .inheritIO()
                .start();
        assertEquals(0, jlink.waitFor());
        Files.delete(path.resolve("java"));
        Files.createSymbolicLink(path.resolve("java"), runtime.resolve("bin/java"));
        assertServes("--metrics", "127.0.0.1:0");
    }

    @Test
    void missingJava_isReportedInOneLine() throws Exception {
        Files.delete(path.resolve("java"));
        assertEquals(
                new Outcome(2, "evenkeel: no java found: java (from the PATH); install Java 17 or later\n"),
                run(launcher, "serve"));
    }
}

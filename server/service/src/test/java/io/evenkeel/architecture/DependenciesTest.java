package io.evenkeel.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that each direct dependency has a reason, and that the BOM has all modules of the clients. */
final class DependenciesTest {
    private static final String OURS = "io.evenkeel";
    private static final Pattern MANAGED =
            Pattern.compile("(?s)<dependencyManagement>.*?</dependencyManagement>|<exclusions>.*?</exclusions>");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "(?s)<dependency>\\s*<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(.*?)</dependency>");
    private static final Pattern ARTIFACT = Pattern.compile("</parent>\\s*<artifactId>([^<]+)</artifactId>");
    private static final Pattern VERSION =
            Pattern.compile("<groupId>io.evenkeel</groupId>\\s*<artifactId>[^<]+</artifactId>\\s*<version>([^<]+)");
    private static final Pattern GO_MODULE = Pattern.compile("(?m)^(?:\\t|require )([^\\s(]+) v\\S+$");

    @Test
    void eachDirectDependency_hasAReason() throws IOException {
        String reasons = Files.readString(SourceTree.root().resolve("server/docs/decisions/delivery.md"));
        Set<String> unexplained = new TreeSet<>();
        int found = 0;
        for (Path pom : files("pom.xml")) {
            for (Matcher each = dependencies(pom); each.find(); found++) {
                if (!each.group(1).equals(OURS)) {
                    unexplained.add(each.group(2));
                }
            }
        }
        for (Path module : files("go.mod")) {
            for (Matcher each = GO_MODULE.matcher(Files.readString(module)); each.find(); found++) {
                if (!each.group(1).startsWith("evenkeel.io/")) {
                    unexplained.add(each.group(1));
                }
            }
        }
        unexplained.removeIf(each -> reasons.contains("`" + each + "`"));
        assertEquals(Set.of(), unexplained);
        assertTrue(found > 100, () -> "too few dependencies were found");
    }

    @Test
    void bom_hasTheClientsAndTheModulesThatTheyConsistOf() throws IOException {
        Map<String, Path> poms = new TreeMap<>();
        for (Path pom : files("pom.xml")) {
            Matcher artifact = ARTIFACT.matcher(Files.readString(pom));
            if (artifact.find()) {
                poms.put(artifact.group(1), pom);
            }
        }
        Set<String> needed = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(List.of("evenkeel-client-remote", "evenkeel-client-embedded"));
        // A feed from an API server, for the embedded client.
        open.add("evenkeel-kube");
        while (!open.isEmpty()) {
            String artifact = open.remove();
            Path pom = poms.get(artifact);
            if (pom == null || !needed.add(artifact)) {
                continue;
            }
            for (Matcher each = dependencies(pom); each.find(); ) {
                if (each.group(1).equals(OURS) && !each.group(3).contains("<scope>test</scope>")) {
                    open.add(each.group(2));
                }
            }
        }
        String bom = Files.readString(SourceTree.root().resolve("client/bom/pom.xml"));
        Set<String> managed = new TreeSet<>();
        for (Matcher each = DEPENDENCY.matcher(bom); each.find(); ) {
            managed.add(each.group(2));
        }
        assertEquals(needed, managed);
        assertEquals(version(Files.readString(SourceTree.root().resolve("pom.xml"))), version(bom));
    }

    private static String version(String pom) {
        Matcher version = VERSION.matcher(pom);
        assertTrue(version.find());
        return version.group(1);
    }

    private static Matcher dependencies(Path pom) throws IOException {
        return DEPENDENCY.matcher(MANAGED.matcher(Files.readString(pom)).replaceAll(""));
    }

    /** Returns the files of that name, outside folders of built and hidden files. */
    private static List<Path> files(String name) throws IOException {
        List<Path> files = new ArrayList<>();
        Path root = SourceTree.root();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String called = String.valueOf(folder.getFileName());
                boolean skipped = called.equals("target") || called.equals("src") || called.startsWith(".");
                return skipped && !folder.equals(root) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.endsWith(name)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}

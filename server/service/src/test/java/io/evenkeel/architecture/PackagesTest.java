package io.evenkeel.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks in the class files that packages depend on each other in order. */
final class PackagesTest {
    private static final String ENGINE = "io.evenkeel.engine";
    private static final String PLACEMENT = "io.evenkeel.placement";
    private static final String KUBE = "io.evenkeel.kube";

    /** The packages from the bottom up, as in the table in DESIGN.md: a package uses only itself and earlier ones. */
    private static final List<String> PACKAGES = List.of(
            ENGINE + ".memory",
            ENGINE + ".lock",
            ENGINE + ".model",
            ENGINE + ".labels",
            ENGINE + ".cluster",
            ENGINE + ".index",
            ENGINE + ".store",
            ENGINE + ".plan",
            ENGINE + ".overlay",
            ENGINE + ".answer",
            ENGINE + ".watch",
            ENGINE + ".explain",
            ENGINE + ".whatif",
            ENGINE + ".skew",
            ENGINE + ".preemption",
            ENGINE + ".victims",
            ENGINE + ".estimate",
            ENGINE + ".pending",
            ENGINE,
            ENGINE + ".simulation",
            ENGINE + ".rebalance",
            "io.evenkeel.objects",
            PLACEMENT + ".call",
            PLACEMENT + ".query",
            PLACEMENT + ".change",
            PLACEMENT + ".answer",
            PLACEMENT + ".explain",
            PLACEMENT,
            KUBE + ".client",
            KUBE,
            "io.evenkeel.manifest",
            "io.evenkeel.operations",
            "io.evenkeel.access",
            "io.evenkeel.service",
            "io.evenkeel.warmup",
            "io.evenkeel.provisioning",
            "io.evenkeel.admission",
            "io.evenkeel.console",
            "io.evenkeel.cli",
            "io.evenkeel.eviction",
            "io.evenkeel.commands");

    /** Packages of other modules: messages, and the clients that the warm-up and the command line use. */
    private static final Set<String> OF_OTHER_MODULES =
            Set.of("io.evenkeel.v1", "io.evenkeel.client", "io.evenkeel.client.remote");

    private static final int MAX_FILES = 40;

    /** The classes of the engine that hold the state of the cluster. */
    private static final Set<String> TABLES = Set.of(
            ENGINE + ".cluster.BudgetTable",
            ENGINE + ".cluster.HostTable",
            ENGINE + ".cluster.NodeTable",
            ENGINE + ".cluster.OwnerTable",
            ENGINE + ".cluster.PodTable",
            ENGINE + ".labels.LabelClasses",
            ENGINE + ".memory.StringTable");

    private static final JavaClasses SERVER = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // During verify, the tests of the other modules are in jars.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.evenkeel");

    @Test
    void noArrowRunsUp() {
        assertEquals(List.of(), arrowsUp(PACKAGES));
    }

    @Test
    void arrowsUp_areFound_whenPackagesAreReversed() {
        List<String> reversed = new ArrayList<>(PACKAGES);
        Collections.reverse(reversed);
        assertTrue(arrowsUp(reversed).size() > 100);
    }

    @Test
    void everyClass_isInAPackageThatIsListed() {
        Set<String> there =
                SERVER.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
        there.removeAll(OF_OTHER_MODULES);
        assertEquals(new TreeSet<>(PACKAGES), there);
    }

    /** Classes in a dependency cycle cannot be understood one by one. */
    @Test
    void classesOfEnginePlacementAndKube_useEachOtherOneWay() {
        assertEquals(List.of(), knots(uses()));
    }

    @Test
    void knots_areFound_ifClassesUseEachOtherByWayOfOthers() {
        Map<String, Set<String>> uses = Map.of("a", Set.of("b", "d"), "b", Set.of("c"), "c", Set.of("a"));
        assertEquals(List.of("a b c"), knots(uses));
    }

    /**
     * Classes of the engine that are public only for other packages must not be used by the rest of the project.
     * engine-api.txt lists what the rest may use: classes, and single members of classes that also have members for
     * packages of the engine only.
     */
    @Test
    void restOfTheProject_usesOfTheEngine_onlyWhatIsNamed() throws IOException {
        assertEquals(lines("engine-api.txt"), usedOfTheEngine());
    }

    /** Code that reads the cluster cannot change it: it uses the store's view and not the underlying tables. */
    @Test
    void readers_useOfTheStore_onlyItsView() {
        Set<String> readers = Set.of(
                ENGINE + ".plan", ENGINE + ".overlay", ENGINE + ".answer", ENGINE + ".explain", ENGINE + ".whatif");
        Set<String> used = new TreeSet<>();
        for (JavaClass from : SERVER) {
            if (readers.contains(from.getPackageName())) {
                for (Dependency arrow : from.getDirectDependenciesFromSelf()) {
                    if (arrow.getTargetClass().getPackageName().equals(ENGINE + ".store")) {
                        used.add(top(arrow.getTargetClass()));
                    }
                }
                for (JavaAccess<?> access : from.getAccessesFromSelf()) {
                    if (TABLES.contains(access.getTargetOwner().getName())) {
                        used.add(from.getName() + " -> "
                                + access.getTargetOwner().getName());
                    }
                }
            }
        }
        // Plans are built from counts, which the builder computes.
        assertEquals(Set.of(ENGINE + ".store.ClusterView", ENGINE + ".store.GroupBuilder"), used);
    }

    @Test
    void folders_holdAtMostSoManyFiles() throws IOException {
        Map<String, Long> tooMany = new TreeMap<>();
        Path root = SourceTree.root();
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> root.relativize(file.getParent()).toString())
                    .filter(folder -> folder.contains("src/main/java") || folder.contains("src/test/java"))
                    .collect(Collectors.groupingBy(folder -> folder, Collectors.counting()))
                    .forEach((folder, count) -> {
                        if (count > MAX_FILES) {
                            tooMany.put(folder, count);
                        }
                    });
        }
        assertEquals(Map.of(), tooMany);
    }

    @Test
    void noTwoClasses_haveTheSameSimpleName() throws IOException {
        Path root = SourceTree.root();
        try (Stream<Path> files = Files.walk(root)) {
            Map<String, List<String>> folders = files.map(root::relativize)
                    .filter(file -> file.toString().contains("src/main/java")
                            || file.toString().contains("src/test/java"))
                    .filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                    .collect(Collectors.groupingBy(
                            file -> String.valueOf(file.getFileName()),
                            Collectors.mapping(file -> String.valueOf(file.getParent()), Collectors.toList())));
            assertTrue(folders.size() > 1_000, () -> folders.size() + " classes");
            folders.values().removeIf(each -> each.size() == 1);
            assertEquals(Map.of(), folders);
        }
    }

    private static List<String> arrowsUp(List<String> packages) {
        Map<String, Integer> order = new HashMap<>();
        for (int i = 0; i < packages.size(); i++) {
            order.put(packages.get(i), i);
        }
        return SERVER.stream()
                .flatMap(from -> from.getDirectDependenciesFromSelf().stream())
                .filter(arrow -> order.containsKey(arrow.getOriginClass().getPackageName())
                        && order.getOrDefault(arrow.getTargetClass().getPackageName(), -1)
                                > order.get(arrow.getOriginClass().getPackageName()))
                .map(arrow -> top(arrow.getOriginClass()) + " -> " + top(arrow.getTargetClass()))
                .distinct()
                .sorted()
                .toList();
    }

    private static String top(JavaClass from) {
        String name = from.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Excludes gRPC calls and commands, whose parts call each other back. */
    private static boolean isWithoutCircles(JavaClass from) {
        return Stream.of(ENGINE, PLACEMENT, KUBE).anyMatch(from.getPackageName()::startsWith);
    }

    private static Map<String, Set<String>> uses() {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass from : SERVER) {
            if (isWithoutCircles(from)) {
                for (Dependency arrow : from.getDirectDependenciesFromSelf()) {
                    if (isWithoutCircles(arrow.getTargetClass().getBaseComponentType())) {
                        uses.computeIfAbsent(top(from), key -> new TreeSet<>()).add(top(arrow.getTargetClass()));
                    }
                }
            }
        }
        return uses;
    }

    private static List<String> knots(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(from -> reached.put(from, reach(from, uses)));
        List<String> knots = new ArrayList<>();
        Set<String> seen = new TreeSet<>();
        reached.forEach((from, all) -> {
            if (all.contains(from) && !seen.contains(from)) {
                Set<String> knot = all.stream()
                        .filter(to -> reached.getOrDefault(to, Set.of()).contains(from))
                        .collect(Collectors.toCollection(TreeSet::new));
                seen.addAll(knot);
                knots.add(String.join(" ", knot));
            }
        });
        return knots;
    }

    /** The classes that a class uses, directly or indirectly; itself only if indirectly. */
    private static Set<String> reach(String from, Map<String, Set<String>> uses) {
        Set<String> all = new TreeSet<>();
        List<String> left = new ArrayList<>();
        uses.getOrDefault(from, Set.of()).stream()
                .filter(to -> !to.equals(from))
                .forEach(left::add);
        while (!left.isEmpty()) {
            String next = left.remove(left.size() - 1);
            if (all.add(next)) {
                uses.getOrDefault(next, Set.of()).stream()
                        .filter(to -> !to.equals(next))
                        .forEach(left::add);
            }
        }
        return all;
    }

    private static List<String> usedOfTheEngine() {
        Set<String> used = new TreeSet<>();
        for (JavaClass from : SERVER) {
            if (!from.getName().startsWith(ENGINE + ".")) {
                for (Dependency arrow : from.getDirectDependenciesFromSelf()) {
                    String to = top(arrow.getTargetClass());
                    if (to.startsWith(ENGINE + ".")) {
                        used.add(to);
                    }
                }
                for (JavaAccess<?> access : from.getAccessesFromSelf()) {
                    JavaClass owner = access.getTargetOwner();
                    if (owner.getName().startsWith(ENGINE + ".") && isWidened(owner)) {
                        used.add(owner.getName() + "#" + access.getTarget().getName());
                    }
                }
            }
        }
        return List.copyOf(used);
    }

    /** Whether some members of a class are only for other packages. */
    private static boolean isWidened(JavaClass owner) {
        return !owner.isRecord()
                && !owner.isEnum()
                && !owner.isInterface()
                && !owner.getModifiers().contains(JavaModifier.ABSTRACT)
                && !owner.isAssignableTo(Throwable.class);
    }

    private static List<String> lines(String name) throws IOException {
        try (InputStream file = Objects.requireNonNull(PackagesTest.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}

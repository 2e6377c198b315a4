package io.evenkeel.loadtest.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.evenkeel.loadtest.CommandRun;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.annotations.Param;

@Tag("long")
final class EngineBenchCommandTest {
    @TempDir
    private Path directory;

    @Test
    void figure_isMeasuredInAJvmOfItsOwn_andWritten() throws IOException {
        Path json = directory.resolve("engine.json");
        CommandRun run = CommandRun.of(
                "bench",
                "engine",
                "--only",
                "best16 from bytes, hard zone + hostname, best",
                "--seconds",
                "1",
                "--json",
                json.toString());
        assertTrue(run.lastLine().matches("[01] of 1 bounds hold"), run::output);
        assertEquals(run.lastLine().startsWith("1") ? 0 : 1, run.exitCode(), () -> run.output() + run.errors());
        JsonNode figures = new ObjectMapper().readTree(json.toFile()).get("figures");
        assertEquals(1, figures.size());
        JsonNode best = figures.get(0);
        assertTrue(best.get("p50Nanos").asDouble() > 0, best::toString);
        assertTrue(best.get("p99Nanos").asDouble() >= best.get("p50Nanos").asDouble(), best::toString);
        assertEquals(2_000, best.get("figure").get("maxNanos").asInt());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--only no-such-row", "--seconds 0", "--seconds much", "--json /nowhere/engine.json"})
    void badUsage_isNamed_andExitIsTwo(String arguments) {
        String[] typed = arguments.split(" ", -1);
        CommandRun run = CommandRun.of("bench", "engine", typed[0], typed[1]);
        assertEquals(2, run.exitCode(), run::output);
        assertTrue(run.errors().contains(typed[0]), run::errors);
    }

    /** JMH runs a benchmark for each value of a parameter that is not named, but a figure holds only one result. */
    @Test
    void figures_nameEachParameterThatHasSeveralValues_andNoOther() {
        List<List<Figure>> lists = List.of(Figures.usual(), Figures.all());
        for (List<Figure> figures : lists) {
            assertFalse(figures.isEmpty());
            for (Figure figure : figures) {
                Set<String> several = new HashSet<>();
                Set<String> known = new HashSet<>();
                for (Class<?> holder : List.of(figure.benchmark(), BenchCluster.class)) {
                    for (Field field : holder.getFields()) {
                        Param param = field.getAnnotation(Param.class);
                        if (param != null) {
                            known.add(field.getName());
                            if (param.value().length > 1) {
                                several.add(field.getName());
                            }
                        }
                    }
                }
                Set<String> named = figure.parameters().keySet();
                assertTrue(named.containsAll(several), () -> figure + " omits some of " + several);
                assertTrue(known.containsAll(named), () -> figure + " names parameters that are not in " + known);
            }
        }
    }

    @Test
    void rows_fitTheScreen() {
        for (Figure figure : Figures.usual()) {
            assertTrue(figure.what().length() <= 47, figure::what);
        }
        long distinct = Figures.usual().stream()
                .map(figure -> Arrays.asList(figure.what(), figure.parameters()))
                .distinct()
                .count();
        assertEquals(Figures.usual().size(), distinct, "a figure is measured twice");
    }
}

package io.evenkeel.engine.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * Compares estimates with the best end states of 160 small problems, which a constraint solver (CP-SAT) has proven to
 * be the best. {@link ProblemLineReader} describes the file.
 */
final class EstimateCorpusTest {
    @Test
    void estimates_areValid_andAsGoodAsTheSolvers() throws IOException {
        for (String line : lines()) {
            ProblemLineReader.Solved solved = ProblemLineReader.read(line);
            Problem problem = solved.problem();
            NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
            assertEquals(List.of(), PlanJudge.faults(problem, estimate.plan()), solved.name());
            assertEquals(List.of(), PlanJudge.faults(problem, estimate.endState()), solved.name());
            assertTrue(estimate.endState().placed() >= solved.placed(), solved.name());
            assertFalse(isWorse(estimate.endState(), solved), solved.name());
            if (estimate.isOptimal() && estimate.endState() == estimate.plan()) {
                assertFalse(isWorse(estimate.plan(), solved), solved.name());
            }
            if (estimate.plan().placed() == solved.placed()) {
                assertTrue(
                        estimate.priceBound()
                                <= Math.min(solved.price(), estimate.plan().price()),
                        solved.name());
            }
        }
    }

    private static boolean isWorse(Plan plan, ProblemLineReader.Solved solved) {
        return plan.placed() < solved.placed() || plan.placed() == solved.placed() && plan.price() > solved.price();
    }

    private static List<String> lines() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(
                        Objects.requireNonNull(EstimateCorpusTest.class.getResourceAsStream("estimates.txt.gz"))),
                StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }
}

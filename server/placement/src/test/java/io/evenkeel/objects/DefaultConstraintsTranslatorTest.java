package io.evenkeel.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DefaultConstraintsTranslatorTest {
    private static final TopologySpreadConstraint HARD = TopologySpreadConstraint.newBuilder()
            .setMaxSkew(1)
            .setTopologyKey("zone")
            .setWhenUnsatisfiable("DoNotSchedule")
            .setMinDomains(2)
            .addMatchLabelKeys("does nothing here")
            .build();

    @Test
    void system_isTheDefault_andHasNoListOfItsOwn() throws Exception {
        assertEquals(SpreadDefaults.SYSTEM, translate("", List.of()));
        assertEquals(SpreadDefaults.SYSTEM, translate("System", List.of()));
        assertEquals(
                List.of(Violations.of(
                        "defaults.defaultConstraints", "must be empty with defaultingType System, had 1 entries")),
                violations("System", List.of(HARD)));
    }

    @Test
    void list_isTakenInOrder_withoutSelectors() throws Exception {
        TopologySpreadConstraint soft =
                HARD.toBuilder().setWhenUnsatisfiable("ScheduleAnyway").build();
        assertEquals(
                SpreadDefaults.list(List.of(
                        new SpreadConstraint(1, "zone", true, null, List.of(), 2, true, false),
                        new SpreadConstraint(1, "zone", false, null, List.of(), 2, true, false))),
                translate("List", List.of(HARD, soft)));
        assertEquals(SpreadDefaults.NONE, translate("List", List.of()));
    }

    @Test
    void list_isRefused_asKubeSchedulerWould() {
        TopologySpreadConstraint selecting = HARD.toBuilder()
                .setLabelSelector(LabelSelector.getDefaultInstance())
                .build();
        TopologySpreadConstraint badKey =
                HARD.toBuilder().setTopologyKey("a b").setMaxSkew(0).build();
        assertEquals(
                List.of(
                        "defaults.defaultConstraints[0].labelSelector",
                        "defaults.defaultConstraints[1]",
                        "defaults.defaultConstraints[2].topologyKey",
                        "defaults.defaultConstraints[2].maxSkew"),
                violations("List", List.of(selecting, HARD, badKey)).stream()
                        .map(FieldViolation::getField)
                        .toList());
        assertEquals(
                List.of(Violations.of("defaults.defaultingType", "must be System or List, was \"list\"")),
                violations("list", List.of()));
        assertEquals(
                List.of(Violations.of("defaults.defaultConstraints", "must have at most 64 entries, had 10000")),
                violations("List", Collections.nCopies(10_000, HARD)));
    }

    @Test
    void bareList_isTaken_andNamedByItsOwnField() throws Exception {
        assertEquals(
                translate("List", List.of(HARD)),
                DefaultConstraintsTranslator.list(List.of(HARD), "defaults.constraints", PodLimits.DEFAULT));
        assertEquals(SpreadDefaults.NONE, DefaultConstraintsTranslator.list(List.of(), "x", PodLimits.DEFAULT));
        InvalidObjectException refused = assertThrows(
                InvalidObjectException.class,
                () -> DefaultConstraintsTranslator.list(
                        List.of(HARD, HARD), "defaults.constraints", PodLimits.DEFAULT));
        assertEquals(
                List.of(Violations.of(
                        "defaults.constraints[1]",
                        "must not repeat the topologyKey and whenUnsatisfiable of an earlier constraint")),
                refused.violations());
    }

    private static SpreadDefaults translate(String type, List<TopologySpreadConstraint> constraints)
            throws InvalidObjectException {
        Violations violations = new Violations();
        SpreadDefaults defaults = DefaultConstraintsTranslator.translate(
                type, constraints, FieldPath.ROOT.field("defaults"), PodLimits.DEFAULT, violations);
        violations.throwIfAny();
        return defaults;
    }

    private static List<FieldViolation> violations(String type, List<TopologySpreadConstraint> constraints) {
        return assertThrows(InvalidObjectException.class, () -> translate(type, constraints))
                .violations();
    }
}

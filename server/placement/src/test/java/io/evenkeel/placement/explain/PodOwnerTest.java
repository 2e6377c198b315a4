package io.evenkeel.placement.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PodOwnerTest {
    private static PodOwner ofJob(String name) {
        return PodOwner.of(ObjectMeta.newBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("batch/v1")
                        .setKind("Job")
                        .setName(name)
                        .setController(true))
                .build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"report-25000000", "report-29563200", "report-49999999"})
    void job_isOfACronJob_ifItsNameEndsWithAMinute(String name) {
        assertEquals(new PodOwner("CronJob", "report", "", true), ofJob(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "report-20261130",
                "report-20261201",
                "report-24999999",
                "report-50000000",
                "report-295632000",
                "report-1773792000",
                "report29563200",
                "-29563200"
            })
    void job_isItsOwnWorkload_ifItsNameEndsWithADateOrAnotherNumber(String name) {
        assertEquals(new PodOwner("Job", name, "", true), ofJob(name));
    }

    @Test
    void podWithoutOwner_hasTheJobOfItsLabel() {
        ObjectMeta labelled =
                ObjectMeta.newBuilder().putLabels("job-name", "report-20261130").build();
        assertEquals(new PodOwner("Job", "report-20261130", "", true), PodOwner.of(labelled));
    }
}

package io.evenkeel.placement.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SimilarKeysTest {
    private static final SimilarKeys KEYS = new SimilarKeys(new TreeMap<>(Map.of(
            "topology.kubernetes.io/zone", 9,
            "topology.kubernetes.io/region", 9,
            "kubernetes.io/hostname", 10,
            "node.kubernetes.io/instance-type", 10,
            "example.com/rack", 3,
            "acme.example.com/Rack", 4,
            "gpu", 1)));

    @ParameterizedTest
    @CsvSource({
        "failure-domain.beta.kubernetes.io/zone, topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region, topology.kubernetes.io/region",
        "beta.kubernetes.io/instance-type, node.kubernetes.io/instance-type",
        "Topology.Kubernetes.io/Zone, topology.kubernetes.io/zone",
        "zone, topology.kubernetes.io/zone",
        "kubernetes.io/zone, topology.kubernetes.io/zone",
        "topology.kubernetes.io/hostname, kubernetes.io/hostname",
        "rack, acme.example.com/Rack",
        "topology.kubernetes.io/zome, topology.kubernetes.io/zone",
        "topolgy.kubernets.io/zone, topology.kubernetes.io/zone",
        "kubernetes.io/hostanme, kubernetes.io/hostname",
        "kubernetes.io/host, kubernetes.io/hostname",
        "host, kubernetes.io/hostname",
        "topology.kubernetes.io.zone, topology.kubernetes.io/zone",
        "availability-zone, topology.kubernetes.io/zone",
        "instanceType, node.kubernetes.io/instance-type",
        "example.com/rack-id, example.com/rack",
    })
    void key_isSuggested_whenItIsNear(String asked, String meant) {
        assertEquals(meant, KEYS.meantBy(asked));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"example.com/building", "topology.kubernetes.io/datacentre", "gp", "cpu-kind", "kubernetes.io/os"
            })
    void nothing_isSuggested_whenNoneIsNear(String asked) {
        assertNull(KEYS.meantBy(asked));
    }
}

package io.evenkeel.loadtest.demo;

import io.evenkeel.loadtest.cluster.Labels;
import java.util.List;

/**
 * The textbook cases of topology spread, with maxSkew 1. The zones are A, B and C. Each has one node with the same
 * name.
 */
final class KnownWorlds {
    private KnownWorlds() {}

    static List<KnownWorld> all() {
        return List.of(
                KnownWorld.zones("2/1", "B", 2, 1).hard(Labels.ZONE),
                KnownWorld.zones("1/1/0", "C", 1, 1, 0).hard(Labels.ZONE),
                KnownWorld.zones("hosts 1/1/1, minDomains 5", "none", 1, 1, 1)
                        .hard(Labels.HOSTNAME, constraint -> constraint.setMinDomains(5)),
                KnownWorld.of("hosts 2+1 / 2, zone and hostname", "none")
                        .node("A1", "A", 2)
                        .node("A2", "A", 1)
                        .node("B1", "B", 2)
                        .hard(Labels.ZONE)
                        .hard(Labels.HOSTNAME),
                KnownWorld.zones("5/3/2", "C", 5, 3, 2).hard(Labels.ZONE),
                KnownWorld.zones("2/1, C excluded by affinity (Honor)", "B", 2, 1)
                        .nodeShutByAffinity("C", "C", 0)
                        .requiringOpenNodes()
                        .hard(Labels.ZONE),
                KnownWorld.zones("2/1, C excluded by affinity (Ignore)", "none", 2, 1)
                        .nodeShutByAffinity("C", "C", 0)
                        .requiringOpenNodes()
                        .hard(Labels.ZONE, constraint -> constraint.setNodeAffinityPolicy("Ignore")),
                KnownWorld.zonesAndTaintedOne("1/1/0, C tainted", "none", 0, 1, 1)
                        .hard(Labels.ZONE),
                KnownWorld.zonesAndTaintedOne("2/1/0, C tainted", "none", 0, 2, 1)
                        .hard(Labels.ZONE),
                KnownWorld.zonesAndTaintedOne("1/1/1, C tainted", "A, B", 1, 1, 1)
                        .hard(Labels.ZONE),
                KnownWorld.zonesAndTaintedOne("2/1/1, C tainted", "B", 1, 2, 1).hard(Labels.ZONE),
                KnownWorld.zonesAndTaintedOne("1/1/0, C tainted (Honor)", "A, B", 0, 1, 1)
                        .hard(Labels.ZONE, constraint -> constraint.setNodeTaintsPolicy("Honor")),
                KnownWorld.zonesAndTaintedOne("1/1/0, C tainted, soft", "A = B", 0, 1, 1)
                        .soft(Labels.ZONE),
                KnownWorld.zonesAndTaintedOne("2/1/0, C tainted, soft", "B > A", 0, 2, 1)
                        .soft(Labels.ZONE));
    }
}

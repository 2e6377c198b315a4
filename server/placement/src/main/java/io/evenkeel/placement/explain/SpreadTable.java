package io.evenkeel.placement.explain;

import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.engine.skew.KnownWorkloads;
import io.evenkeel.engine.skew.SurveyedWorkloads;
import io.evenkeel.v1.SpreadOrder;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How workloads are spread at one revision. Each order is sorted when it is first asked for. Thread-safe. */
final class SpreadTable {
    final long revision;

    /** How current the state of each kind of object is; must not be changed. */
    final KindVersions versions;

    /** All namespaces that have pods. */
    final Set<String> namespaces;

    /** What was read for it, for the next table. */
    final KnownWorkloads known;

    final StoredPodReader.Readings readings;
    private final List<SpreadRow> rows;
    private volatile @Nullable List<SpreadRow> worstFirst;
    private volatile @Nullable List<SpreadRow> byName;

    SpreadTable(SurveyedWorkloads surveyed, StoredPodReader reader) {
        revision = surveyed.revision();
        versions = surveyed.versions();
        namespaces = surveyed.namespaces();
        known = surveyed.known();
        readings = reader.readings(namespaces);
        rows = surveyed.workloads().stream().map(SpreadRow::new).toList();
    }

    /** In no particular order. */
    List<SpreadRow> rows() {
        return rows;
    }

    List<SpreadRow> in(SpreadOrder order) {
        boolean isByName = order == SpreadOrder.SPREAD_ORDER_NAME;
        List<SpreadRow> sorted = isByName ? byName : worstFirst;
        if (sorted == null) {
            sorted = rows.stream()
                    .sorted(isByName ? SpreadRow.BY_NAME : SpreadRow.WORST_FIRST)
                    .toList();
            if (isByName) {
                byName = sorted;
            } else {
                worstFirst = sorted;
            }
        }
        return sorted;
    }

    /** Whether a row comes after another one. */
    static boolean isAfter(SpreadRow row, SpreadRow other, SpreadOrder order) {
        return (order == SpreadOrder.SPREAD_ORDER_NAME ? SpreadRow.BY_NAME : SpreadRow.WORST_FIRST).compare(row, other)
                > 0;
    }
}

package io.evenkeel.engine.skew;

import io.evenkeel.engine.index.Eligibility;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.KeyedHash;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The workloads of one namespace, and what their pods ask for. It depends on the label classes and the owners of the
 * namespace, but neither on nodes nor on how many pods a class has. Changed only by {@link NamespaceReader}, which
 * makes it.
 *
 * <pre>
 *   byClass    label class → variant
 *   workload   variants, each with its questions
 *   question   the label classes whose pods are counted, and over which domains
 *   domains    the distinct domains of the questions, which refer to them by position
 * </pre>
 */
final class NamespaceWorkloads {
    /** Has a pod on each node, so that its zones are as uneven as their nodes. */
    private static final String DAEMON_SET = "DaemonSet";

    final List<Workload> workloads = new ArrayList<>();
    final List<Domains> domains = new ArrayList<>();
    final Int2ObjectHashMap<Variant> byClass = new Int2ObjectHashMap<>();
    int variants;
    private final long classesVersion;
    private final long ownersVersion;

    NamespaceWorkloads(long classesVersion, long ownersVersion) {
        this.classesVersion = classesVersion;
        this.ownersVersion = ownersVersion;
    }

    static final class Workload {
        final WorkloadName name;
        final List<Variant> variants = new ArrayList<>();
        final IntArrayList classes = new IntArrayList();
        private final boolean isDaemonSet;

        Workload(WorkloadName name) {
            this.name = name;
            isDaemonSet = name.kind().equals(DAEMON_SET);
        }

        /** Whether a constraint limits nothing, because each pod counts only its own node. */
        boolean isFreeOf(SpreadConstraint constraint) {
            return isDaemonSet && constraint.honorAffinity();
        }

        /** Whether its pods are judged if there are that many and they have no constraints. */
        boolean shouldBeEven(int pods) {
            return pods > 1 && !isDaemonSet;
        }
    }

    /** Pods of a workload with the same revision and with constraints that count the same. */
    static final class Variant {
        /** From 0, without gaps. */
        final int number;

        /** Null if the pods have no controller. */
        final @Nullable Workload of;

        final WorkloadReader.Reading reading;
        final boolean fromDefaults;

        /** Of its constraints or, if it has none, by what its workload is judged. */
        final List<Question> questions = new ArrayList<>();

        Variant(int number, @Nullable Workload of, WorkloadReader.Reading reading, boolean fromDefaults) {
            this.number = number;
            this.of = of;
            this.reading = reading;
            this.fromDefaults = fromDefaults;
        }
    }

    /**
     * What is counted for a constraint.
     *
     * @param index see {@link ConstraintCounts}, as the next three
     * @param domains the position of the domains over which pods are counted
     * @param classes the label classes whose pods are counted; must not be changed
     */
    record Question(
            int index,
            @Nullable SpreadConstraint source,
            String topologyKey,
            @Nullable PodSelector selector,
            int domains,
            IntArrayList classes) {}

    /** The domains of a topology that have an eligible node. */
    record Domains(Topology.Kind kind, String key, Eligibility.Key eligibility) {
        @Override
        public int hashCode() {
            return KeyedHash.ofAll(kind, key, eligibility);
        }
    }

    /** Whether it is of these versions, and has all classes with pods. */
    boolean isOf(long classes, long owners, PodsByClass pods, IntArrayList places) {
        if (classes != classesVersion || owners != ownersVersion) {
            return false;
        }
        for (int i = 0; i < places.size(); i++) {
            // A class whose pods were all terminating or finished has got a new one.
            if (!byClass.containsKey(pods.labelClass(places.getInt(i)))) {
                return false;
            }
        }
        return true;
    }
}

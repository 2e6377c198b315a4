package io.evenkeel.client;

import com.google.protobuf.ByteString;
import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.EntryRules;
import io.evenkeel.v1.FittingNodes;
import io.evenkeel.v1.NodeBits;
import io.evenkeel.v1.NodeNames;
import java.util.Arrays;
import java.util.BitSet;

/** Creates the candidates of a query: the nodes to evaluate. */
public final class CandidateNodes {
    private static final Candidates ALL =
            Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()).build();
    private static final Candidates ENTERABLE = Candidates.newBuilder()
            .setEnterable(EnterableNodes.getDefaultInstance())
            .build();

    private static final Candidates FITTING = Candidates.newBuilder()
            .setFitting(FittingNodes.getDefaultInstance())
            .build();

    private CandidateNodes() {}

    /** Every node of the cluster. */
    public static Candidates all() {
        return ALL;
    }

    /**
     * The nodes that the pod may enter: they are not cordoned, have no taint that it does not tolerate, and match its
     * node selector and affinity.
     */
    public static Candidates enterable() {
        return ENTERABLE;
    }

    /**
     * The nodes on which the pod fits: those that it may enter, that its nodeName does not exclude, and that have the
     * host ports and resources free that it asks for.
     */
    public static Candidates fitting() {
        return FITTING;
    }

    /** Those of the given nodes (named, indexed or a node set) that {@link #enterable()} does not exclude. */
    public static Candidates enterable(Candidates given) {
        return given.toBuilder().setRules(EntryRules.ENTRY_RULES_ENTERABLE).build();
    }

    /** Those of the given nodes (named, indexed or a node set) that {@link #fitting()} does not exclude. */
    public static Candidates fitting(Candidates given) {
        return given.toBuilder().setRules(EntryRules.ENTRY_RULES_FITTING).build();
    }

    /** These nodes. The answer lists unknown names. */
    public static Candidates named(Iterable<String> names) {
        return Candidates.newBuilder()
                .setNamed(NodeNames.newBuilder().addAllNames(names))
                .build();
    }

    /** These nodes. The answer lists unknown names. */
    public static Candidates named(String... names) {
        return named(Arrays.asList(names));
    }

    /**
     * The nodes at these indexes of the table, which need not be the newest one. The answer lists nodes that were
     * removed since. If the server no longer knows the table, it rejects the query; use names then.
     */
    public static Candidates indexed(NodeTable table, BitSet indexes) {
        return Candidates.newBuilder()
                .setBits(NodeBits.newBuilder()
                        .setNodeTableToken(table.token())
                        .setBits(ByteString.copyFrom(indexes.toByteArray())))
                .build();
    }

    /** The nodes of a registered set, by its id. */
    public static Candidates nodeSet(String id) {
        return Candidates.newBuilder().setNodeSetId(id).build();
    }
}

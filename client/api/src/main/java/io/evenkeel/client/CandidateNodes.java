package io.evenkeel.client;

import io.evenkeel.v1.AllNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.EnterableNodes;
import io.evenkeel.v1.NodeNames;
import java.util.Arrays;

/** Makes the candidates of a question: the nodes that are to be judged. */
public final class CandidateNodes {
    private static final Candidates ALL =
            Candidates.newBuilder().setAll(AllNodes.getDefaultInstance()).build();
    private static final Candidates ENTERABLE = Candidates.newBuilder()
            .setEnterable(EnterableNodes.getDefaultInstance())
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

    /** These nodes; unknown names are listed in the answer. */
    public static Candidates named(Iterable<String> names) {
        return Candidates.newBuilder()
                .setNamed(NodeNames.newBuilder().addAllNames(names))
                .build();
    }

    /** These nodes; unknown names are listed in the answer. */
    public static Candidates named(String... names) {
        return named(Arrays.asList(names));
    }

    /** The nodes of a registered set, by its id. */
    public static Candidates nodeSet(String id) {
        return Candidates.newBuilder().setNodeSetId(id).build();
    }
}

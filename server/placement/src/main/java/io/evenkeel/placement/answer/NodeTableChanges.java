package io.evenkeel.placement.answer;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.objects.WireOutput;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.NodeRun;
import io.evenkeel.v1.NodeTableChange;
import java.util.stream.IntStream;

/** Writes the changes from the node table that the caller knows to that of the answer, unless they are too large. */
final class NodeTableChanges {
    /** The maximum size in an answer, in bytes. ListNodes returns larger tables in pages. */
    static final int MAX_BYTES = 1 << 20;

    private static final int USUAL_NAME = 32;
    private static final byte[] NO_NAME = {};

    private NodeTableChanges() {}

    /** @param known the token of the table that the caller knows */
    static void write(String known, NodeNameTable names, NodeTableTokens tokens, WireOutput out) {
        long revision = tokens.revision(known);
        if (revision == names.revision()) {
            return;
        }
        int[] changes = names.changesSince(revision);
        boolean whole = changes == null;
        int[] indexes = changes == null
                ? IntStream.range(0, names.limit())
                        .filter(index -> names.name(index) != null)
                        .toArray()
                : changes;
        int begin = out.size();
        out.open(EvaluateResponse.NODE_TABLE_CHANGE_FIELD_NUMBER, USUAL_NAME * indexes.length);
        out.number(NodeTableChange.WHOLE_FIELD_NUMBER, whole ? 1 : 0);
        int written = 0;
        while (written < indexes.length && out.size() - begin <= MAX_BYTES) {
            written = writeRun(indexes, written, names, out, begin + MAX_BYTES);
        }
        out.close();
        if (out.size() - begin > MAX_BYTES) {
            out.cutTo(begin);
        }
    }

    /**
     * Writes the run that starts at position {@code first} of the indexes, as far as there is room. Returns the
     * position after it.
     */
    private static int writeRun(int[] indexes, int first, NodeNameTable names, WireOutput out, int end) {
        int after = first + 1;
        while (after < indexes.length && indexes[after] == indexes[after - 1] + 1) {
            after++;
        }
        out.open(NodeTableChange.RUNS_FIELD_NUMBER, USUAL_NAME * (after - first));
        out.number(NodeRun.FIRST_INDEX_FIELD_NUMBER, indexes[first]);
        for (int i = first; i < after && out.size() <= end; i++) {
            byte[] name = names.encodedName(indexes[i]);
            out.entry(NodeRun.NAMES_FIELD_NUMBER, name == null ? NO_NAME : name);
        }
        out.close();
        return after;
    }
}

package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.cluster.EmptySlotException;
import io.evenkeel.engine.cluster.InvalidSlotsException;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.NodeBits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads candidates given as bits of a node table. The engine validates the bits when it answers. */
public final class CandidateBits {
    private CandidateBits() {}

    /** @param field the path of the candidates in the request */
    static NodeSubset read(NodeBits message, NodeTableTokens tokens, String field) {
        long revision = tokens.revision(message.getNodeTableToken());
        if (revision == NodeTableTokens.FOREIGN) {
            throw unknownTable(
                    "is not known here: it is from another server or session, or from before a restart", field);
        }
        return NodeSubset.ofSlots(revision, words(message.getBits()));
    }

    private static long[] words(ByteString bits) {
        ByteBuffer whole = ByteBuffer.allocate((bits.size() + Long.BYTES - 1) / Long.BYTES * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        bits.copyTo(whole.array(), 0);
        long[] words = new long[whole.capacity() / Long.BYTES];
        whole.asLongBuffer().get(words);
        return words;
    }

    /**
     * The error of a request whose candidates the engine cannot look up.
     *
     * @param field the path of the candidates in the request
     */
    public static RequestException refusal(InvalidSlotsException invalid, String field) {
        return invalid instanceof EmptySlotException empty
                ? RequestException.invalid(
                        field + ".bits.bits",
                        "must only set bits that belong to nodes of that table, had bit " + empty.slot())
                : unknownTable("has changed too much since", field);
    }

    private static RequestException unknownTable(String why, String field) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_NODE_TABLE_UNKNOWN,
                "the node table " + why + "; send node names, or list the nodes again (" + field
                        + ".bits.nodeTableToken)");
    }
}

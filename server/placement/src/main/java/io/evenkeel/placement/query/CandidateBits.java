package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.cluster.EmptySlotException;
import io.evenkeel.engine.cluster.UnknownNodeTableException;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.NodeBits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;

/** Reads candidates that are bits of a node table. What is wrong with them the engine finds when it answers. */
public final class CandidateBits {
    private CandidateBits() {}

    /** @param field where the candidates stand in the request */
    static CandidateNodes read(NodeBits message, NodeTableTokens tokens, String field) {
        long revision = tokens.revision(message.getNodeTableToken());
        if (revision == NodeTableTokens.FOREIGN) {
            throw unknownTable("is none of this server", field);
        }
        return CandidateNodes.ofSlots(revision, words(message.getBits()));
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
     * Does work that may look up such candidates.
     *
     * @param field where the candidates stand in the request
     * @throws RequestException where the node table is not known, or where a bit is not that of a node
     */
    public static <R> R checked(String field, Supplier<R> work) {
        try {
            return work.get();
        } catch (UnknownNodeTableException e) {
            throw unknownTable("has changed too much since", field);
        } catch (EmptySlotException e) {
            throw RequestException.invalid(
                    field + ".bits.bits", "must have bits of nodes of that table alone, had bit " + e.slot());
        }
    }

    private static RequestException unknownTable(String why, String field) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_NODE_TABLE_UNKNOWN,
                "the node table " + why + ": ask with names, or list the nodes (" + field + ".bits.nodeTableToken)");
    }
}

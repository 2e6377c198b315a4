package io.evenkeel.placement.query;

import com.google.protobuf.ByteString;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.placement.call.Request;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.QueryOptions;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Filter, Score or Evaluate request.
 *
 * @param freshness how new the state must be; the default instance accepts any state
 * @param knownNodeTableToken the node table that the caller knows; null if the answer need not contain its changes
 * @param overlay the changes that make up the hypothetical cluster; null if there are none
 * @param session the session to query; empty means the live state
 * @param source the bytes of the message that contained it, which may be one of EvaluateStream
 */
public record PodQuery(
        Kind kind,
        List<PodPlans.Requested> pods,
        Options options,
        Freshness freshness,
        @Nullable String knownNodeTableToken,
        OverlayReader.@Nullable Read overlay,
        String session,
        ByteString source)
        implements Request {
    /** The call, which determines the content of the answers. */
    public enum Kind {
        FILTER,
        SCORE,
        EVALUATE
    }

    /**
     * The options of a query and the values derived from them, kept for the next query with equal options. Candidates
     * given by name or as bits then need not be looked up again. Thread-safe.
     */
    public static final class Options {
        private static final Parser<QueryOptions> PARSER = DiscardUnknownFieldsParser.wrap(QueryOptions.parser());

        static final Options NONE = new Options(new byte[0], QueryOptions.getDefaultInstance());

        private final byte[] bytes;
        private final QueryOptions message;

        // A benign race: all threads set equal values.
        private @Nullable NodeSubset given;
        private @Nullable EntryRules rules;
        private @Nullable SpreadDefaults ownDefaults;

        private Options(byte[] bytes, QueryOptions message) {
            this.bytes = bytes;
            this.message = message;
        }

        /** Parses the bytes in this range, unless {@code known} has equal ones. */
        static Options read(byte[] bytes, int from, int to, Options known) throws InvalidProtocolBufferException {
            return Arrays.equals(known.bytes, 0, known.bytes.length, bytes, from, to)
                    ? known
                    : new Options(Arrays.copyOfRange(bytes, from, to), PARSER.parseFrom(bytes, from, to - from));
        }

        /** The length of the encoded options. */
        int size() {
            return bytes.length;
        }

        public QueryOptions message() {
            return message;
        }

        /** See {@link RequestReader#candidates}. */
        public NodeSubset candidates(RequestReader reader) {
            NodeSubset kept = given;
            if (kept != null) {
                return kept;
            }
            NodeSubset read = reader.candidates(message.getCandidates(), "options.candidates");
            // A registered set is looked up each time because it may have been evicted meanwhile, and because the
            // lookup counts as its use.
            if (!message.getCandidates().hasNodeSetId()) {
                given = read;
            }
            return read;
        }

        /** See {@link RequestReader#rules}. */
        public EntryRules rules() {
            EntryRules kept = rules;
            if (kept == null) {
                kept = RequestReader.rules(message.getCandidates(), "options.candidates");
                rules = kept;
            }
            return kept;
        }

        /** See {@link RequestReader#ownDefaults}. */
        public @Nullable SpreadDefaults ownDefaults(RequestReader reader) {
            SpreadDefaults kept = ownDefaults;
            if (kept == null && message.hasDefaults()) {
                kept = reader.ownDefaults(message.getDefaults(), "options.defaults");
                ownDefaults = kept;
            }
            return kept;
        }
    }
}

package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.AnswerForm;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.ScoreResponse;
import java.util.function.Consumer;

/** Makes packed queries name the latest node table, and takes the changes that their answers bring. */
final class CarriedChanges {
    private final NodeTables tables;

    CarriedChanges(NodeTables tables) {
        this.tables = tables;
    }

    /** The request. A packed query that names no node table is made to name the latest one. */
    @SuppressWarnings("unchecked") // Each branch gives back the type that it was given.
    <Q extends MessageLite> Q asked(Q request) {
        String known = tables.latest();
        if (known.isEmpty()) {
            return request;
        }
        if (request instanceof EvaluateRequest query
                && isPacked(query.getOptions())
                && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        if (request instanceof FilterRequest query && isPacked(query.getOptions()) && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        if (request instanceof ScoreRequest query && isPacked(query.getOptions()) && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        return request;
    }

    /** The table that a query with these options names: the latest one, or "" for none. */
    String asked(QueryOptions options) {
        return isPacked(options) ? tables.latest() : "";
    }

    private static boolean isPacked(QueryOptions options) {
        return options.getForm() == AnswerForm.ANSWER_FORM_PACKED || options.getForm() == AnswerForm.ANSWER_FORM_BEST;
    }

    /** As {@link #taker(String)}, for the answer to a request. */
    Consumer<MessageLite> taker(MessageLite request) {
        if (request instanceof EvaluateRequest query) {
            return taker(query.getKnownNodeTableToken());
        }
        if (request instanceof FilterRequest query) {
            return taker(query.getKnownNodeTableToken());
        }
        return request instanceof ScoreRequest query ? taker(query.getKnownNodeTableToken()) : answer -> {};
    }

    /**
     * Takes the change in an answer, where it brings one. To be made before the query is sent: it holds the table that
     * the query names, since others may take its place until the answer comes.
     *
     * @param named the token of that table; "" for none
     */
    Consumer<MessageLite> taker(String named) {
        NodeTable changed = named.isEmpty() ? null : tables.find(named);
        return answer -> {
            if (answer instanceof EvaluateResponse response && response.hasNodeTableChange()) {
                tables.take(changed, response.getNodeTableToken(), response.getNodeTableChange());
            } else if (answer instanceof FilterResponse response && response.hasNodeTableChange()) {
                tables.take(changed, response.getNodeTableToken(), response.getNodeTableChange());
            } else if (answer instanceof ScoreResponse response && response.hasNodeTableChange()) {
                tables.take(changed, response.getNodeTableToken(), response.getNodeTableChange());
            }
        };
    }
}

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

/** Adds the token of the latest node table to packed queries, and applies the changes in their answers. */
final class CarriedChanges {
    private final NodeTables tables;

    CarriedChanges(NodeTables tables) {
        this.tables = tables;
    }

    /**
     * The request. If it is a packed query without a node table token, the latest one is added. If there is none, a
     * query of a session asks for the whole table, because sessions have no other way to list it.
     */
    @SuppressWarnings("unchecked") // Each branch returns the type of its argument.
    <Q extends MessageLite> Q asked(Q request) {
        String known = tables.latest();
        if (request instanceof EvaluateRequest query
                && isPacked(query.getOptions())
                && !(known.isEmpty() && query.getSession().isEmpty())
                && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        if (request instanceof FilterRequest query
                && isPacked(query.getOptions())
                && !(known.isEmpty() && query.getSession().isEmpty())
                && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        if (request instanceof ScoreRequest query
                && isPacked(query.getOptions())
                && !(known.isEmpty() && query.getSession().isEmpty())
                && !query.hasKnownNodeTableToken()) {
            return (Q) query.toBuilder().setKnownNodeTableToken(known).build();
        }
        return request;
    }

    /** The table token for a query with these options: the latest one, or "" for none. */
    String asked(QueryOptions options) {
        return isPacked(options) ? tables.latest() : "";
    }

    private static boolean isPacked(QueryOptions options) {
        return options.getForm() == AnswerForm.ANSWER_FORM_PACKED || options.getForm() == AnswerForm.ANSWER_FORM_BEST;
    }

    /** Same as {@link #taker(String)}, for the answer to a request. */
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
     * Applies the change in an answer, if there is one. Create it before sending the query: it keeps the table that the
     * query names, because newer tables may replace that one before the answer arrives.
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

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

/** Makes packed queries name the newest node table that is kept, and takes the changes that their answers bring. */
final class CarriedChanges {
    private final NodeTables tables;

    CarriedChanges(NodeTables tables) {
        this.tables = tables;
    }

    /** The request. A packed query that names no node table is made to name the newest one. */
    @SuppressWarnings("unchecked") // Each branch gives back the type that it was given.
    <Q extends MessageLite> Q asked(Q request) {
        String known = tables.newest();
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

    /** The table that a query with these options names: the newest one, or "" for none. */
    String asked(QueryOptions options) {
        return isPacked(options) ? tables.newest() : "";
    }

    private static boolean isPacked(QueryOptions options) {
        return options.getForm() == AnswerForm.ANSWER_FORM_PACKED || options.getForm() == AnswerForm.ANSWER_FORM_BEST;
    }

    /** Takes the change in the answer to a request, where it brings one. */
    void take(MessageLite request, MessageLite answer) {
        if (request instanceof EvaluateRequest query) {
            take(query.getKnownNodeTableToken(), answer);
        } else if (request instanceof FilterRequest query) {
            take(query.getKnownNodeTableToken(), answer);
        } else if (request instanceof ScoreRequest query) {
            take(query.getKnownNodeTableToken(), answer);
        }
    }

    /**
     * Takes the change in an answer, where it brings one.
     *
     * @param named the token of the table that the query named
     */
    void take(String named, MessageLite answer) {
        if (answer instanceof EvaluateResponse response && response.hasNodeTableChange()) {
            tables.take(named, response.getNodeTableToken(), response.getNodeTableChange());
        } else if (answer instanceof FilterResponse response && response.hasNodeTableChange()) {
            tables.take(named, response.getNodeTableToken(), response.getNodeTableChange());
        } else if (answer instanceof ScoreResponse response && response.hasNodeTableChange()) {
            tables.take(named, response.getNodeTableToken(), response.getNodeTableChange());
        }
    }
}

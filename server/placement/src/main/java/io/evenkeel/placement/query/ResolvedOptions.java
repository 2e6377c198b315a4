package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.QueryOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a query, with the values that were derived from them, kept for the next query with equal options.
 * Candidates that are named or given as bits then need not be looked up again. Safe for use by several threads.
 */
public final class ResolvedOptions {
    static final ResolvedOptions NONE = new ResolvedOptions(QueryOptions.getDefaultInstance());

    private final QueryOptions message;

    // Any thread may set it; all set it to equal values.
    private @Nullable CandidateNodes given;
    private @Nullable SpreadDefaults ownDefaults;

    ResolvedOptions(QueryOptions message) {
        this.message = message;
    }

    public QueryOptions message() {
        return message;
    }

    /** See {@link RequestReader#candidates}. */
    public CandidateNodes candidates(RequestReader reader) {
        CandidateNodes kept = given;
        if (kept != null) {
            return kept;
        }
        CandidateNodes read = reader.candidates(message.getCandidates(), "options.candidates");
        // A registered set is looked up each time: it may have been dropped meanwhile, and the look-up counts as its
        // use.
        if (message.getCandidates().hasNamed() || message.getCandidates().hasBits()) {
            given = read;
        }
        return read;
    }

    /** See {@link RequestReader#ownDefaults}. */
    public @Nullable SpreadDefaults ownDefaults(RequestReader reader) {
        SpreadDefaults kept = ownDefaults;
        if (kept == null) {
            kept = reader.ownDefaults(message.getDefaults(), "options.defaults");
            ownDefaults = kept;
        }
        return kept;
    }
}

package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.CandidateNodes;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.QueryOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a query, and what is made of them, kept for the next query of the same options: named candidates
 * remember which nodes they are. Safe for use by several threads.
 */
public final class ResolvedOptions {
    static final ResolvedOptions NONE = new ResolvedOptions(QueryOptions.getDefaultInstance());

    private final QueryOptions message;

    // Set by any thread, each time to an equal value.
    private @Nullable CandidateNodes named;
    private @Nullable SpreadDefaults ownDefaults;

    ResolvedOptions(QueryOptions message) {
        this.message = message;
    }

    public QueryOptions message() {
        return message;
    }

    /** See {@link RequestReader#candidates}. */
    public CandidateNodes candidates(RequestReader reader) {
        CandidateNodes kept = named;
        if (kept != null) {
            return kept;
        }
        CandidateNodes read = reader.candidates(message.getCandidates(), CandidateNodes.ALL, "options.candidates");
        // A set may be forgotten meanwhile, and asking for it keeps it in use.
        if (message.getCandidates().hasNamed()) {
            named = read;
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

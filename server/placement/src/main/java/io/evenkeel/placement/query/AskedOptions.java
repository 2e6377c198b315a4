package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.Candidates;
import io.evenkeel.engine.model.DefaultConstraints;
import io.evenkeel.v1.QueryOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a query, and what is made of them, kept for the next query of the same options: named candidates remember which nodes they are. Safe for use by several
 * threads.
 */
public final class AskedOptions {
    static final AskedOptions NONE = new AskedOptions(QueryOptions.getDefaultInstance());

    private final QueryOptions message;

    // Set by any thread, each time to an equal value.
    private @Nullable Candidates named;
    private @Nullable DefaultConstraints ownDefaults;

    AskedOptions(QueryOptions message) {
        this.message = message;
    }

    public QueryOptions message() {
        return message;
    }

    /** See {@link RequestReader#candidates}. */
    public Candidates candidates(RequestReader reader) {
        Candidates kept = named;
        if (kept != null) {
            return kept;
        }
        Candidates read = reader.candidates(message.getCandidates(), Candidates.ALL, "options.candidates");
        // A set may be forgotten meanwhile, and asking for it keeps it in use.
        if (message.getCandidates().hasNamed()) {
            named = read;
        }
        return read;
    }

    /** See {@link RequestReader#ownDefaults}. */
    public @Nullable DefaultConstraints ownDefaults(RequestReader reader) {
        DefaultConstraints kept = ownDefaults;
        if (kept == null) {
            kept = reader.ownDefaults(message.getDefaults(), "options.defaults");
            ownDefaults = kept;
        }
        return kept;
    }
}

package io.evenkeel.placement;

import io.evenkeel.engine.Candidates;
import io.evenkeel.engine.DefaultConstraints;
import io.evenkeel.v1.QueryOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a query, and what is made of them, kept for the next query of the same options: named candidates remember which nodes they are. Safe for use by several
 * threads.
 */
final class AskedOptions {
    static final AskedOptions NONE = new AskedOptions(QueryOptions.getDefaultInstance());

    private final QueryOptions message;

    // Set by any thread, each time to an equal value.
    private @Nullable Candidates named;
    private @Nullable DefaultConstraints ownDefaults;

    AskedOptions(QueryOptions message) {
        this.message = message;
    }

    QueryOptions message() {
        return message;
    }

    /** See {@link RequestReader#candidates}. */
    Candidates candidates(RequestReader reader) {
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
    @Nullable
    DefaultConstraints ownDefaults(RequestReader reader) {
        DefaultConstraints kept = ownDefaults;
        if (kept == null) {
            kept = reader.ownDefaults(message.getDefaults(), "options.defaults");
            ownDefaults = kept;
        }
        return kept;
    }
}

package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.v1.QueryOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a query and the values derived from them, cached for the next query with equal options. Candidates
 * given by name or as bits then need not be looked up again. Thread-safe.
 */
public final class ResolvedOptions {
    static final ResolvedOptions NONE = new ResolvedOptions(QueryOptions.getDefaultInstance());

    private final QueryOptions message;

    // A benign race: all threads set equal values.
    private @Nullable NodeSubset given;
    private @Nullable EntryRules rules;
    private @Nullable SpreadDefaults ownDefaults;

    ResolvedOptions(QueryOptions message) {
        this.message = message;
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
        // A registered set is looked up each time because it may have been evicted meanwhile, and because the lookup
        // counts as its use.
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

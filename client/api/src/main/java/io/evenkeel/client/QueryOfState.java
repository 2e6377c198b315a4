package io.evenkeel.client;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.Revision;
import java.time.Duration;
import java.util.List;

/**
 * A query for Filter, Score or Evaluate, with what it demands of the state. Immutable: each method returns a new query.
 *
 * @param <T> the type of the query
 */
abstract class QueryOfState<T> {
    /** FilterRequest and ScoreRequest have the same fields. */
    final EvaluateRequest request;

    QueryOfState(EvaluateRequest request) {
        this.request = request;
    }

    /** The same query with another request. */
    abstract T with(EvaluateRequest changed);

    /** Requires a state that has reached at least this revision. */
    public T atLeast(Revision revision) {
        return fresh(request.getFreshness().toBuilder().setRevision(revision).build());
    }

    /** Requires a state that includes every event up to these versions. */
    public T holding(ResourceVersions versions) {
        return fresh(versions.demandedBy(request.getFreshness()));
    }

    /**
     * Requires that every kind's feed has sent something within this time. Use at least 75 seconds, because an API
     * server sends bookmarks about once a minute.
     */
    public T noOlderThan(Duration age) {
        return fresh(ResourceVersions.within(age, request.getFreshness()));
    }

    /** Asks for the versions that the answer is based on. Read them with {@link ResourceVersions#of(List)}. */
    public T tellVersions() {
        return fresh(request.getFreshness().toBuilder()
                .setIncludeResourceVersions(true)
                .build());
    }

    /** Sets how fresh the state must be. */
    public T fresh(Freshness demanded) {
        return with(request.toBuilder().setFreshness(demanded).build());
    }

    /** Asks about a hypothetical cluster: the overlay removes and adds pods. */
    public T over(Overlay overlay) {
        return with(request.toBuilder().setOverlay(overlay).build());
    }
}

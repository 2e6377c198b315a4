package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.ScoreRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.WhatIfRequest;
import org.jspecify.annotations.Nullable;

/**
 * Records the revisions of writes, and makes queries demand the newest one. Without {@link Revisions} it does neither.
 */
final class OwnWrites {
    static final OwnWrites IGNORED = new OwnWrites(null);

    private final @Nullable Revisions writes;

    OwnWrites(@Nullable Revisions writes) {
        this.writes = writes;
    }

    /** The revision of the newest write, or null. */
    @Nullable
    Revision newest() {
        return writes == null ? null : writes.newest().orElse(null);
    }

    /** The request. A query that demands no revision itself is made to demand the newest write. */
    @SuppressWarnings("unchecked") // Each branch gives back the type that it was given.
    <Q extends MessageLite> Q demandedBy(Q request) {
        Revision least = newest();
        return least == null ? request : (Q) demanding(least, request);
    }

    private static MessageLite demanding(Revision least, MessageLite request) {
        if (request instanceof EvaluateRequest query && demandsNone(query.getFreshness())) {
            EvaluateRequest.Builder builder = query.toBuilder();
            builder.getFreshnessBuilder().setRevision(least);
            return builder.build();
        }
        if (request instanceof FilterRequest query && demandsNone(query.getFreshness())) {
            FilterRequest.Builder builder = query.toBuilder();
            builder.getFreshnessBuilder().setRevision(least);
            return builder.build();
        }
        if (request instanceof ScoreRequest query && demandsNone(query.getFreshness())) {
            ScoreRequest.Builder builder = query.toBuilder();
            builder.getFreshnessBuilder().setRevision(least);
            return builder.build();
        }
        if (request instanceof WhatIfRequest query && demandsNone(query.getFreshness())) {
            WhatIfRequest.Builder builder = query.toBuilder();
            builder.getFreshnessBuilder().setRevision(least);
            return builder.build();
        }
        if (request instanceof ExplainRequest query && demandsNone(query.getFreshness())) {
            ExplainRequest.Builder builder = query.toBuilder();
            builder.getFreshnessBuilder().setRevision(least);
            return builder.build();
        }
        return request;
    }

    private static boolean demandsNone(Freshness freshness) {
        return !freshness.hasRevision();
    }

    /** Records the revision in an answer to a write. */
    void note(MessageLite answer) {
        if (writes == null) {
            return;
        }
        if (answer instanceof ApplyResponse written) {
            writes.saw(written.getRevision());
        } else if (answer instanceof AssumeResponse written) {
            writes.saw(written.getRevision());
        } else if (answer instanceof ForgetResponse written) {
            writes.saw(written.getRevision());
        } else if (answer instanceof SyncResponse written) {
            writes.saw(written.getRevision());
        }
    }
}

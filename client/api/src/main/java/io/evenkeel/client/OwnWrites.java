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

/** Records the revisions of writes and makes queries require the newest one. Does nothing without {@link Revisions}. */
final class OwnWrites {
    static final OwnWrites IGNORED = new OwnWrites(null);

    private final @Nullable Revisions writes;

    OwnWrites(@Nullable Revisions writes) {
        this.writes = writes;
    }

    /** The revision of the newest write, or null if there is none. */
    @Nullable
    Revision newest() {
        return writes == null ? null : writes.newest().orElse(null);
    }

    /** The request. If it is a query without a required revision, that of the newest write is added. */
    @SuppressWarnings("unchecked") // Each branch returns the type of its argument.
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

    /** Records the revision in the response to a write. */
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

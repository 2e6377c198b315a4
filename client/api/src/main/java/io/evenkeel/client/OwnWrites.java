package io.evenkeel.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.ForgetResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncResponse;
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

    /**
     * The request. If it is a query of the live state without a required revision, that of the newest write is added.
     */
    @SuppressWarnings("unchecked") // A builder builds the type of its message.
    <Q extends MessageLite> Q demandedBy(Q request) {
        Revision least = newest();
        if (least == null || !(request instanceof Message query)) {
            return request;
        }
        FieldDescriptor session = query.getDescriptorForType().findFieldByName("session");
        if (session != null && !query.getField(session).equals("")) {
            return request;
        }
        FieldDescriptor field = query.getDescriptorForType().findFieldByName("freshness");
        if (field == null || ((Freshness) query.getField(field)).hasRevision()) {
            return request;
        }
        Freshness demanded = ((Freshness) query.getField(field))
                .toBuilder().setRevision(least).build();
        return (Q) query.toBuilder().setField(field, demanded).build();
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
        } else if (answer instanceof SyncAndEvaluateResponse written && written.hasSync()) {
            writes.saw(written.getSync().getRevision());
        }
    }
}

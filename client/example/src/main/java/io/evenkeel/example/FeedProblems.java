package io.evenkeel.example;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.v1.Refusal;

/** Prints problems of the feed to standard error. */
final class FeedProblems implements KubeFeedListener {
    @Override
    public void changed(KindState state) {
        if (state.phase() == KindState.Phase.WAITING) {
            System.err.println(state.kind() + ": " + state.problem());
        }
    }

    @Override
    public void refused(ObjectKind kind, Refusal refusal) {
        System.err.println(kind + ": " + refusal.getObject() + " skipped: "
                + refusal.getError().getMessage());
    }
}

package io.evenkeel.example;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.KindState;
import io.evenkeel.kube.KubeFeedListener;
import io.evenkeel.v1.Refusal;

/** Tells on standard error what goes wrong with the feed. */
final class FeedProblems implements KubeFeedListener {
    @Override
    public void changed(KindState state) {
        if (state.phase() == KindState.Phase.WAITING) {
            System.err.println(state.kind() + ": " + state.problem());
        }
    }

    @Override
    public void refused(ObjectKind kind, Refusal refusal) {
        System.err.println(kind + ": " + refusal.getObject() + " is left out: "
                + refusal.getError().getMessage());
    }
}

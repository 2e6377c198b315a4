package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.Refusal;

/**
 * Hears how the feeds of the kinds fare. Each kind tells in order, and kinds tell at the same time; calls must return
 * soon.
 */
public interface KubeFeedListener {
    /** The feed of a kind does something else now. */
    void changed(KindState state);

    /** An object was not applied, and everything else was. */
    void refused(ObjectKind kind, Refusal refusal);
}

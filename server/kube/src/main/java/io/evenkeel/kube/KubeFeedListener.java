package io.evenkeel.kube;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.v1.Refusal;

/**
 * Callbacks about the state of the feeds. Calls for one kind come in order; calls for different kinds may overlap.
 * Calls must return soon.
 */
public interface KubeFeedListener {
    /** The feed of a kind entered another phase, or has another problem. */
    void changed(KindState state);

    /** An object was rejected. Everything else was applied. */
    void refused(ObjectKind kind, Refusal refusal);
}

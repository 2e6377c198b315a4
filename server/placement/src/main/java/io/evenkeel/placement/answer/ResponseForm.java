package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answer about one pod, as the one field of a PodAnswer that holds this form. There is one implementation
 * for each form. Stateless.
 */
interface ResponseForm {
    /**
     * Writes the answer at once where that is quick. Otherwise copies what is needed of it, and returns a draft to be
     * written later: the engine's lock is held during this call, and writers wait.
     */
    @Nullable
    Draft write(Answer answer, WireOutput out);

    /** A copy of those parts of an answer that are still to be written. */
    @FunctionalInterface
    interface Draft {
        void write(WireOutput out);
    }

    /** Roughly how many bytes one answer takes in a response. */
    long bytes(int nodes);
}

package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answer about one pod in one form, as a field of PodAnswer. There is one implementation per form.
 * Stateless.
 */
interface ResponseForm {
    /**
     * Writes the answer immediately if that is quick. Otherwise copies what is needed and returns a draft to be written
     * later, because writers wait for the engine's lock, which is held during this call.
     */
    @Nullable
    Draft write(Answer answer, WireOutput out);

    /** A copy of the parts of an answer that are yet to be written. */
    @FunctionalInterface
    interface Draft {
        void write(WireOutput out);
    }

    /** The approximate size of one answer in a response, in bytes. */
    long bytes(int nodes);
}

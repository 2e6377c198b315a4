package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import org.jspecify.annotations.Nullable;

/** How the answer about one pod is written: the fields of a PodAnswer. Stateless. */
interface ResponseForm {
    /**
     * Writes the answer where that is quick, since the engine's writers wait; else takes what is needed, to be written
     * at leisure, and answers that.
     */
    @Nullable
    Draft write(Answer answer, WireOutput out);

    /** What was taken of an answer. */
    @FunctionalInterface
    interface Draft {
        void write(WireOutput out);
    }

    /** The bytes that one answer takes in a response, about. */
    long bytes(int nodes);
}

package io.evenkeel.placement;

import io.evenkeel.engine.Answer;
import io.evenkeel.v1.PodAnswer;

/** How the answer about one pod is written. Stateless. */
interface AnswerForm {
    /** Takes from {@code answer} what is needed, quickly: the engine's writers wait. */
    Draft draft(Answer answer);

    /** What was taken of an answer, to be written at leisure. */
    @FunctionalInterface
    interface Draft {
        PodAnswer write();
    }

    /** The bytes that one answer takes in a response, about. */
    long bytes(int nodes);
}

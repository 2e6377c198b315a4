package io.evenkeel.placement.answer;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.objects.WireOutput;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answer about one pod in one form, as a field of PodAnswer. There is one implementation per form.
 * Stateless.
 */
interface ResponseForm {
    /** The usual size of a node index. */
    int BYTES_AN_INDEX = 2;

    /**
     * Writes the answer immediately if that is quick. Otherwise copies what is needed and returns a draft to be written
     * later, because writers wait for the engine's lock, which is held during this call.
     *
     * @param unjudged the rules that can exclude nodes for the pod and are not judged; see {@link UnjudgedRules}
     */
    @Nullable
    Draft write(Answer answer, int unjudged, WireOutput out);

    /** A copy of the parts of an answer that are yet to be written. */
    @FunctionalInterface
    interface Draft {
        void write(WireOutput out);
    }

    /** The approximate size of one answer in a response, in bytes. */
    long bytes(int nodes);
}

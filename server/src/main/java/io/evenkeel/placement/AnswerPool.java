package io.evenkeel.placement;

import io.evenkeel.engine.Answer;
import java.util.concurrent.ArrayBlockingQueue;

/** Answers to be filled again: their arrays fit the cluster already. As many as threads answer at once, rather than one for each thread that ever did. */
final class AnswerPool {
    private static final int PER_PROCESSOR = 2;

    private final ArrayBlockingQueue<Answer> spare =
            new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors() * PER_PROCESSOR);

    Answer take() {
        Answer answer = spare.poll();
        return answer == null ? new Answer() : answer;
    }

    /** Not to be used by the giver any more. */
    void give(Answer answer) {
        // Where there are enough, the collector has it.
        spare.offer(answer);
    }
}

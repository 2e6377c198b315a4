package io.evenkeel.kube;

import java.io.IOException;

/** Hears of an answer that comes as a stream, in the thread that asked for it. */
interface AnswerListener {
    /** The API server accepts the request. No byte was read yet. */
    void opened() throws IOException;

    /** The answer has been open for a while, and goes on. */
    default void lasts() {}
}

package io.evenkeel.service;

import java.io.IOException;

/** Says that a server cannot listen at one of its listeners. */
public final class ListenException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Listener listener;
    private final IOException problem;

    ListenException(Listener listener, IOException problem) {
        super(problem.getMessage(), problem);
        this.listener = listener;
        this.problem = problem;
    }

    public Listener listener() {
        return listener;
    }

    /** Why it cannot. */
    public IOException problem() {
        return problem;
    }
}

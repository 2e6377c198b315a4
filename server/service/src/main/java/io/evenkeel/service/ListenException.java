package io.evenkeel.service;

import java.io.IOException;

/** Thrown if a server cannot listen on one of its listeners. */
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

    /** The cause. */
    public IOException problem() {
        return problem;
    }
}

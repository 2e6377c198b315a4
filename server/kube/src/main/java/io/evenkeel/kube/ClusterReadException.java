package io.evenkeel.kube;

import java.io.IOException;

/** The objects of a cluster could not be read or changed. The message says why and what to do. */
public final class ClusterReadException extends IOException {
    private static final long serialVersionUID = 1;

    ClusterReadException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.evenkeel.kube;

import java.io.IOException;

/** The API server's state is older than the last seen one, for example because etcd was restored from a backup. */
final class OlderStateException extends IOException {
    private static final long serialVersionUID = 1;

    OlderStateException(String what) {
        super(what);
    }
}

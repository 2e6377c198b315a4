package io.evenkeel.kube.client;

import java.io.IOException;

/** The configuration to reach a cluster is missing or unusable. The message says what to do. */
public final class ConfigurationException extends IOException {
    private static final long serialVersionUID = 1;

    ConfigurationException(String message) {
        super(message);
    }

    ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}

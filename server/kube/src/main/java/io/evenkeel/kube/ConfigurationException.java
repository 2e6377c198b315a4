package io.evenkeel.kube;

/** The configuration does not say how to reach a cluster. The message says what to do. */
public final class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    ConfigurationException(String message) {
        super(message);
    }

    ConfigurationException(String message, Throwable cause) {
        super(message, cause);
    }
}

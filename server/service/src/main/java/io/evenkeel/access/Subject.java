package io.evenkeel.access;

import java.util.Locale;

/**
 * An identity of a caller. A caller may have several.
 *
 * @param name the token's name, a name in the certificate, the Kubernetes user or group, or the path of the socket
 */
record Subject(Kind kind, String name) {
    enum Kind {
        TOKEN,
        CERTIFICATE,
        USER,
        GROUP,
        SOCKET;

        String field() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public String toString() {
        return kind.field() + " " + name;
    }
}

package io.evenkeel.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Warns of the ends of the server's certificates, from a week before: one line a day for each. Only one thread at a
 * time may use it.
 */
final class CertificateWarnings {
    private static final Duration WARNED_BEFORE = Duration.ofDays(7);
    private static final Duration WARNED_EVERY = Duration.ofDays(1);

    private final ServerTls tls;
    private final InstantSource clock;
    private final Consumer<String> log;

    /** What was warned of, and from when on it is warned of again. */
    private final Map<String, Instant> warned = new HashMap<>();

    /** @param log takes a line for each warning */
    CertificateWarnings(ServerTls tls, InstantSource clock, Consumer<String> log) {
        this.tls = tls;
        this.clock = clock;
        this.log = log;
    }

    /** Warns of the certificates in force whose warnings are due. */
    void look() {
        look("the server's certificate", tls.expires());
        look("a certificate of --client-ca", tls.clientCaExpires());
    }

    private void look(String what, Instant end) {
        Instant now = clock.instant();
        if (now.isBefore(end.minus(WARNED_BEFORE))) {
            warned.remove(what);
        } else if (!now.isBefore(warned.getOrDefault(what, Instant.MIN))) {
            warned.put(what, now.plus(WARNED_EVERY));
            log.accept(what + (now.isBefore(end) ? " ends at " : " has ended at ") + end);
        }
    }
}

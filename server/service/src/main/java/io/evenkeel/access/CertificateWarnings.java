package io.evenkeel.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Warns when certificates expire: one line a day for each, starting a week before. Not thread-safe. */
final class CertificateWarnings {
    private static final Duration WARNED_BEFORE = Duration.ofDays(7);
    private static final Duration WARNED_EVERY = Duration.ofDays(1);

    private final ServerTls tls;
    private final InstantSource clock;
    private final Consumer<String> log;

    /** The certificates that were warned about, and when the next warning is due. */
    private final Map<String, Instant> warned = new HashMap<>();

    /** @param log receives a line for each warning */
    CertificateWarnings(ServerTls tls, InstantSource clock, Consumer<String> log) {
        this.tls = tls;
        this.clock = clock;
        this.log = log;
    }

    /** Logs the warnings that are due for the certificates in use. */
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
            log.accept(what + (now.isBefore(end) ? " expires at " : " expired at ") + end);
        }
    }
}

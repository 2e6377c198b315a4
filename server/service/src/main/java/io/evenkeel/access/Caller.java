package io.evenkeel.access;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** The peer of a connection, as far as it is known before it sends a token. Thread-safe. */
public final class Caller {
    /** A caller without any credentials. */
    public static final Caller UNKNOWN = new Caller(null, List.of());

    private static final int EMAIL = 1;
    private static final int DNS = 2;
    private static final int URI = 6;
    private static final int IP = 7;

    private final X509Certificate @Nullable [] chain;
    private final List<Subject> subjects;

    private volatile Acceptance accepted = new Acceptance(-1, Long.MIN_VALUE);

    /**
     * When the certificate was accepted last.
     *
     * @param version the version of the access control that has accepted it
     * @param untilMillis when the next certificate of the chain expires and must be checked again
     */
    private record Acceptance(long version, long untilMillis) {}

    private Caller(X509Certificate @Nullable [] chain, List<Subject> subjects) {
        this.chain = chain;
        this.subjects = subjects;
    }

    /** A caller connected through a Unix domain socket. */
    static Caller through(String socket) {
        return new Caller(null, List.of(new Subject(Subject.Kind.SOCKET, socket)));
    }

    /** A caller with a client certificate. */
    static Caller with(X509Certificate... chain) {
        List<Subject> subjects = new ArrayList<>();
        for (String name : names(chain[0])) {
            subjects.add(new Subject(Subject.Kind.CERTIFICATE, name));
        }
        return new Caller(chain, List.copyOf(subjects));
    }

    /** The common name and the subject alternative names of a certificate. */
    private static List<String> names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String name) {
                    names.add(name);
                }
            }
            Collection<List<?>> others = certificate.getSubjectAlternativeNames();
            for (List<?> other : others == null ? List.<List<?>>of() : others) {
                int kind = (Integer) other.get(0);
                if (kind == EMAIL || kind == DNS || kind == URI || kind == IP) {
                    names.add(String.valueOf(other.get(1)));
                }
            }
        } catch (InvalidNameException | CertificateParsingException e) {
            // Use the names that could be read.
        }
        return names;
    }

    List<Subject> subjects() {
        return subjects;
    }

    /** Whether a certificate of the chain has expired since it was accepted. */
    boolean mustBeJudgedAgain(long nowMillis) {
        return chain != null && nowMillis > accepted.untilMillis;
    }

    /**
     * Whether its certificate, if it has one, is accepted. A resumed session shows the certificate of the original
     * session. A chain may contain expired certificates that it does not need.
     */
    boolean isAccepted(@Nullable ServerTls tls, long version, long nowMillis) {
        if (chain == null) {
            return true;
        }
        if (accepted.version == version && !mustBeJudgedAgain(nowMillis)) {
            return true;
        }
        if (nowMillis > endMillis(chain[0]) || tls == null || !tls.accepts(chain)) {
            return false;
        }
        accepted = new Acceptance(version, nextEnd(chain, nowMillis));
        return true;
    }

    private static long endMillis(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant().toEpochMilli();
    }

    private static long nextEnd(X509Certificate[] chain, long nowMillis) {
        return Arrays.stream(chain)
                .mapToLong(Caller::endMillis)
                .filter(end -> end >= nowMillis)
                .min()
                .orElse(Long.MAX_VALUE);
    }
}

package io.evenkeel.access;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates and authorizes calls. It checks the configured files for changes every second; if a change removes a
 * right, affected calls are rejected within three seconds. Thread-safe: one thread at a time reloads the files, and
 * calls use the previous contents meanwhile.
 */
public final class AccessControl implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AccessControl.class.getName());
    private static final long LOOKS_EVERY_SECONDS = 1;
    private static final String BEARER = "Bearer ";
    private static final byte[] NO_TOKEN = {};

    private final InstantSource clock;
    private final Consumer<String> log;
    private final boolean guarded;
    private final @Nullable ServerTls tls;
    private final @Nullable CertificateWarnings warnings;
    private final List<WatchedFiles> files = new ArrayList<>();
    private final ScheduledThreadPoolExecutor timer;

    /** Null if tokens come only from the file. */
    private final @Nullable TokenReviews reviews;

    private volatile TokenList tokens = TokenList.EMPTY;
    private volatile AccessRules rules = AccessRules.ALL_TO_THE_KNOWN;

    /** Incremented whenever the credentials or rules change. Written only by {@link #look}. */
    private volatile long version;

    /**
     * Reads the files. Does not watch them.
     *
     * @param log receives a line for each change
     * @param nanos a clock with an arbitrary origin
     * @throws IOException if a file cannot be used; the message names the option, file, line and field
     */
    AccessControl(AccessOptions options, InstantSource clock, Consumer<String> log, LongSupplier nanos)
            throws IOException {
        this.clock = clock;
        this.log = log;
        guarded = options.isGuarded();
        Path certificate = options.certificate();
        Path key = options.key();
        Path clientCa = options.clientCa();
        if (certificate != null && key != null) {
            ServerTls own = new ServerTls(clientCa != null);
            tls = own;
            warnings = new CertificateWarnings(own, clock, log);
            files.add(own.identity(certificate, key));
            if (clientCa != null) {
                files.add(own.authorities(clientCa));
            }
        } else {
            tls = null;
            warnings = null;
        }
        Path tokenFile = options.tokens();
        if (tokenFile != null) {
            files.add(new WatchedFiles(
                    "--tokens", List.of(tokenFile), contents -> tokens = TokenList.read(contents.get(0))));
        }
        Path ruleFile = options.rules();
        if (ruleFile != null) {
            files.add(new WatchedFiles(
                    "--access", List.of(ruleFile), contents -> rules = AccessFile.read(contents.get(0))));
        }
        TokenReviewer reviewer = options.reviewer();
        reviews = reviewer == null ? null : new TokenReviews(reviewer, nanos, log);
        timer = new ScheduledThreadPoolExecutor(
                1,
                new ThreadFactoryBuilder()
                        .setNameFormat("evenkeel-access")
                        .setDaemon(true)
                        .build());
        warnOfEnds();
    }

    /**
     * Reads the files and watches them for changes until closed.
     *
     * @throws IOException if a file cannot be used; the message names the option, file, line and field
     */
    public static AccessControl start(AccessOptions options) throws IOException {
        return start(options, line -> LOG.log(System.Logger.Level.WARNING, line));
    }

    static AccessControl start(AccessOptions options, Consumer<String> log) throws IOException {
        AccessControl control = new AccessControl(options, InstantSource.system(), log, System::nanoTime);
        if (!control.files.isEmpty()) {
            ScheduledFuture<?> unused = control.timer.scheduleWithFixedDelay(
                    control::lookAgain, LOOKS_EVERY_SECONDS, LOOKS_EVERY_SECONDS, TimeUnit.SECONDS);
        }
        return control;
    }

    private void lookAgain() {
        try {
            look();
        } catch (RuntimeException e) {
            // An exception would stop the timer, and the files would never be checked again.
            LOG.log(
                    System.Logger.Level.ERROR,
                    "failed to reload access-control files; keeping the previous ones and trying again",
                    e);
        }
    }

    /** Checks the files once and reloads those that changed. */
    synchronized void look() {
        boolean same = false;
        try {
            boolean changed = false;
            for (WatchedFiles each : files) {
                changed |= each.look(log);
            }
            same = !changed;
        } finally {
            // Also after an exception, because an earlier file may already have been reloaded.
            if (!same) {
                version++;
            }
        }
        warnOfEnds();
    }

    private void warnOfEnds() {
        if (warnings != null) {
            warnings.look();
        }
    }

    /** Whether callers must authenticate. */
    public boolean isGuarded() {
        return guarded;
    }

    /** The credentials for TLS connections; null if connections are in plaintext. */
    public @Nullable ServerCredentials credentials() {
        return tls == null ? null : tls.credentials();
    }

    /** The server's certificate for HTTPS, to clients that need none; null if connections are in plaintext. */
    public @Nullable SSLContext https() {
        return tls == null ? null : tls.context();
    }

    /** When the server's certificate expires, in seconds since 1970; infinite without one. */
    public double certificateEndsSeconds() {
        return seconds(tls == null ? Instant.MAX : tls.expires());
    }

    /** When the first client CA certificate expires, in seconds since 1970; infinite without one. */
    public double clientCaEndsSeconds() {
        return seconds(tls == null ? Instant.MAX : tls.clientCaExpires());
    }

    private static double seconds(Instant end) {
        return end.equals(Instant.MAX) ? Double.POSITIVE_INFINITY : end.getEpochSecond();
    }

    /** Makes a new connection end when its client certificate is no longer accepted. */
    public void watch(Channel connection) {
        if (tls != null && tls.asksClients()) {
            connection.pipeline().addLast(new RejectedCertificate(this));
        }
    }

    /** The caller of a connection through a Unix domain socket. */
    public static Caller callerThrough(Path socket) {
        return Caller.through(socket.toAbsolutePath().normalize().toString());
    }

    /** The caller of a TLS connection. */
    public static Caller caller(SSLSession session) {
        try {
            Certificate[] shown = session.getPeerCertificates();
            return Caller.with(Arrays.copyOf(shown, shown.length, X509Certificate[].class));
        } catch (SSLPeerUnverifiedException withoutCertificate) {
            return Caller.UNKNOWN;
        }
    }

    /**
     * The credentials of a call, ready to be checked.
     *
     * @param authorization the authorization header, or null
     * @param rights the rights that the call needs
     */
    public Admission admission(Caller caller, @Nullable String authorization, Set<Right> rights) {
        if (authorization == null) {
            return new Admission(this, caller, null, null, rights);
        }
        if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return new Admission(this, caller, NO_TOKEN, null, rights);
        }
        String token = authorization.substring(BEARER.length()).strip();
        byte[] hash = TokenList.hash(token);
        return new Admission(this, caller, hash, reviews == null ? null : reviews.token(hash, token), rights);
    }

    /** Whether the token is in the token file. */
    boolean isKnown(byte[] token) {
        return tokens.name(token) != null;
    }

    long version() {
        return version;
    }

    /** Whether the certificate of a caller, if it has one, is accepted now. */
    boolean accepts(Caller caller) {
        return caller.isAccepted(tls, version, clock.millis());
    }

    /** Whether a certificate of the caller has expired since it was accepted. */
    boolean mustBeJudgedAgain(Caller caller) {
        return caller.mustBeJudgedAgain(clock.millis());
    }

    /**
     * Why a call is rejected, or null if it is allowed.
     *
     * @param review the result of the token review, if the token is not in the token file
     */
    @Nullable
    RequestException judge(
            Caller caller, byte @Nullable [] token, TokenReviews.@Nullable Review review, Set<Right> rights) {
        if (!accepts(caller)) {
            return RequestException.of(
                    ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, "the client certificate is no longer accepted");
        }
        if (token != null && tokens.name(token) == null) {
            if (review == null || review.isRejected()) {
                return RequestException.of(
                        ErrorReason.ERROR_REASON_CREDENTIALS_INVALID,
                        "the bearer token is unknown or no longer valid; send it as 'authorization: Bearer TOKEN'");
            }
            if (review.problem() != null) {
                return RequestException.of(
                        ErrorReason.ERROR_REASON_CREDENTIALS_UNCHECKED,
                        "the API server cannot review the bearer token at the moment; retry later");
            }
        }
        AccessRules now = rules;
        List<Subject> subjects = subjects(caller, token, review);
        Right missing = null;
        for (Right right : rights) {
            missing = now.allow(subjects, right) ? missing : right;
        }
        if (missing == null) {
            return null;
        }
        if (subjects.stream().allMatch(subject -> subject.kind() == Subject.Kind.SOCKET)) {
            return RequestException.of(
                    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING,
                    "the call needs the right to " + missing.text() + ": send a client certificate or a bearer token");
        }
        return RequestException.of(
                ErrorReason.ERROR_REASON_RIGHT_MISSING,
                "the call needs the right to " + missing.text() + ", which none of these has: "
                        + subjects.stream().map(Subject::toString).collect(Collectors.joining(", ")));
    }

    /** Who a caller is, as far as its credentials are accepted. */
    List<Subject> subjects(Caller caller, byte @Nullable [] token, TokenReviews.@Nullable Review review) {
        String name = token == null ? null : tokens.name(token);
        List<Subject> subjects = new ArrayList<>(caller.subjects());
        if (name != null) {
            subjects.add(new Subject(Subject.Kind.TOKEN, name));
        } else if (token != null && review != null) {
            subjects.addAll(review.caller());
        }
        return subjects;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        if (reviews != null) {
            reviews.close();
        }
    }
}

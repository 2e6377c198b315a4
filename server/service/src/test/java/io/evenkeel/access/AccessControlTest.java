package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests credentials and rules, and how their changes are loaded. The test triggers the checks and sets the clock. */
final class AccessControlTest {
    private static final String FIRST = "first-token-of-tests";
    private static final String SECOND = "second-token-of-tests";

    /** More tokens than are reviewed at the same time. */
    private static final List<String> MANY =
            IntStream.range(0, 150).mapToObj(i -> "token" + i).toList();

    @TempDir
    private Path directory = Path.of("");

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private Instant now = Instant.now();

    private AccessControl control(AccessOptions options) throws IOException {
        return new AccessControl(options, (InstantSource) () -> now, log::add, System::nanoTime);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static @Nullable ErrorReason reason(AccessControl control, Caller caller, @Nullable String token) {
        return reason(control.admission(caller, token == null ? null : "Bearer " + token, Set.of(Right.ASK))
                .judge());
    }

    private static @Nullable ErrorReason reason(@Nullable RequestException refused) {
        return refused == null ? null : refused.reason();
    }

    @Test
    void tokens_areTakenWhenTheyChange_andHaveSettled() throws Exception {
        Path tokens = write("tokens", "a " + FIRST);
        try (AccessControl control = control(new AccessOptions(null, null, null, tokens, null))) {
            assertNull(reason(control, Caller.UNKNOWN, FIRST));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_MISSING, reason(control, Caller.UNKNOWN, null));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(control, Caller.UNKNOWN, SECOND));
            assertEquals(
                    ErrorReason.ERROR_REASON_CREDENTIALS_INVALID,
                    reason(control.admission(Caller.UNKNOWN, FIRST, Set.of(Right.ASK))
                            .judge()));
            Admission open = control.admission(Caller.UNKNOWN, "bearer " + FIRST, Set.of(Right.ASK));
            assertNull(open.judge());
            write("tokens", "b " + SECOND);
            control.look();
            assertNull(reason(control, Caller.UNKNOWN, FIRST));
            assertNull(open.judgeAgain());
            control.look();
            assertNull(reason(control, Caller.UNKNOWN, SECOND));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(control, Caller.UNKNOWN, FIRST));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(open.judgeAgain()));
            assertEquals(List.of("--tokens " + tokens + ": changed; reloaded"), log);
        }
    }

    @Test
    void fileThatIsBadOrGone_isReportedOnce_andWhatWasReadBeforeStays() throws Exception {
        Path tokens = write("tokens", "a " + FIRST);
        try (AccessControl control = control(new AccessOptions(null, null, null, tokens, null))) {
            write("tokens", "a");
            look(control, 4);
            String stays = "; keeping the previous version";
            assertEquals(
                    List.of("--tokens " + tokens + ": line 1: must be a name and a token, separated by white space"
                            + stays),
                    log);
            assertNull(reason(control, Caller.UNKNOWN, FIRST));
            Files.delete(tokens);
            look(control, 4);
            assertEquals(2, log.size());
            assertEquals("--tokens " + tokens + ": no such file" + stays, log.get(1));
            assertNull(reason(control, Caller.UNKNOWN, FIRST));
            write("tokens", "a " + SECOND);
            look(control, 2);
            assertNull(reason(control, Caller.UNKNOWN, SECOND));
        }
    }

    @Test
    @Timeout(60)
    void fault_doesNotEndTheLooking() throws Exception {
        Path tokens = write("tokens", "a " + FIRST);
        AtomicBoolean failed = new AtomicBoolean();
        AccessOptions options = new AccessOptions(null, null, null, tokens, null);
        try (AccessControl control = AccessControl.start(options, line -> {
            if (failed.compareAndSet(false, true)) {
                throw new IllegalStateException("this line cannot be written: " + line);
            }
        })) {
            Admission open = control.admission(Caller.UNKNOWN, "Bearer " + FIRST, Set.of(Right.ASK));
            assertNull(open.judge());
            write("tokens", "b " + SECOND);
            Await.until(() -> open.judgeAgain() != null);
            assertTrue(failed.get());
            write("tokens", "a " + FIRST);
            Await.until(() -> reason(control, Caller.UNKNOWN, FIRST) == null);
        }
    }

    /** Every pod of the cluster has a token that Kubernetes knows. */
    @Test
    void tokensOfKubernetes_needRules() {
        AccessOptions without = new AccessOptions(null, null, null, null, null);
        assertThrows(
                IllegalArgumentException.class,
                () -> without.withReviewer(token -> new TokenReviewer.Reviewed("u", List.of())));
    }

    @Test
    void openCall_isAskedAfterAgain_andContinuesWhileNoOneAnswers() throws Exception {
        Path rules = write("rules", "rules: [{user: u, may: [ask]}]");
        AtomicReference<String> answer = new AtomicReference<>("u");
        AtomicLong nanos = new AtomicLong();
        AccessOptions options = new AccessOptions(null, null, null, null, rules).withReviewer(token -> {
            String user = Objects.requireNonNull(answer.get());
            if (user.equals("down")) {
                throw new IOException("no route");
            }
            return new TokenReviewer.Reviewed(user.isEmpty() ? null : user, List.of());
        });
        try (AccessControl control = new AccessControl(options, (InstantSource) () -> now, log::add, nanos::get)) {
            Admission open = control.admission(Caller.UNKNOWN, "Bearer secret", Set.of(Right.ASK));
            assertTrue(open.mustAsk());
            open.ask();
            assertNull(open.judge());
            answer.set("down");
            nanos.addAndGet(Duration.ofSeconds(40).toNanos());
            assertNull(judgedWhenAsked(control, open));
            answer.set("");
            nanos.addAndGet(Duration.ofSeconds(40).toNanos());
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(judgedWhenAsked(control, open)));
            assertEquals(List.of("--kube-tokens: token review failed: no route"), log);
        }
    }

    @Test
    @Timeout(60)
    void openCall_isReviewedAgain_whileManyCallsWaitForReviews() throws Exception {
        Path rules = write("rules", "rules: [{user: u, may: [ask]}]");
        AtomicLong nanos = new AtomicLong();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(MANY.size());
        AtomicBoolean changed = new AtomicBoolean();
        AccessOptions options = new AccessOptions(null, null, null, null, rules).withReviewer(token -> {
            if (!token.equals("secret")) {
                waiting.countDown();
                release.await();
            }
            return new TokenReviewer.Reviewed(changed.get() ? null : "u", List.of());
        });
        try (AccessControl control = new AccessControl(options, (InstantSource) () -> now, log::add, nanos::get)) {
            Admission open = asked(control, "secret");
            for (String token : MANY) {
                callApart(control, token);
            }
            waiting.await();
            nanos.addAndGet(Duration.ofSeconds(31).toNanos());
            changed.set(true);
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(judgedWhenAsked(control, open)));
        } finally {
            release.countDown();
        }
    }

    /** Makes a call in a separate thread, which waits for the review of the call's token. */
    private static void callApart(AccessControl control, String token) {
        Thread caller = new Thread(() -> {
            try {
                control.admission(Caller.UNKNOWN, "Bearer " + token, Set.of(Right.ASK))
                        .ask();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        caller.setDaemon(true);
        caller.start();
    }

    @Test
    @Timeout(60)
    void openCall_isNotReviewedAgain_afterACallHadItsTokenReviewedMeanwhile() throws Exception {
        Path rules = write("rules", "rules: [{user: u, may: [ask]}]");
        AtomicLong nanos = new AtomicLong();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(4);
        AtomicBoolean isSlow = new AtomicBoolean();
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        AccessOptions options = new AccessOptions(null, null, null, null, rules).withReviewer(token -> {
            if (isSlow.get() && token.startsWith("slow")) {
                waiting.countDown();
                release.await();
            }
            asked.add(token);
            return new TokenReviewer.Reviewed("u", List.of());
        });
        try (AccessControl control = new AccessControl(options, (InstantSource) () -> now, log::add, nanos::get)) {
            List<Admission> open = new ArrayList<>();
            for (String token : List.of("slow0", "slow1", "slow2", "slow3", "used", "last")) {
                open.add(asked(control, token));
            }
            nanos.addAndGet(Duration.ofSeconds(31).toNanos());
            isSlow.set(true);
            asked.clear();
            for (Admission each : open) {
                assertNull(each.judgeAgain());
            }
            waiting.await();
            asked(control, "used");
            release.countDown();
            Await.until(() -> asked.size() >= 6);
            assertEquals(6, Set.copyOf(asked).size(), asked::toString);
        } finally {
            release.countDown();
        }
    }

    /** They are checked many times before the API server has reviewed all of their tokens. */
    @Test
    @Timeout(60)
    void openCalls_areAskedAfterOnceEach_howeverLongThatTakes() throws Exception {
        Path rules = write("rules", "rules: [{user: u, may: [ask]}]");
        AtomicLong nanos = new AtomicLong();
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean isSlow = new AtomicBoolean();
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        AccessOptions options = new AccessOptions(null, null, null, null, rules).withReviewer(token -> {
            if (isSlow.get()) {
                release.await();
                nanos.addAndGet(Duration.ofMillis(100).toNanos());
                asked.add(token);
            }
            return new TokenReviewer.Reviewed("u", List.of());
        });
        try (AccessControl control = new AccessControl(options, (InstantSource) () -> now, log::add, nanos::get)) {
            List<Admission> open = new ArrayList<>();
            for (String token : MANY) {
                open.add(asked(control, token));
            }
            Admission last = asked(control, "last");
            nanos.addAndGet(Duration.ofSeconds(31).toNanos());
            isSlow.set(true);
            for (int look = 0; look < 10; look++) {
                for (Admission each : open) {
                    assertNull(each.judgeAgain());
                }
            }
            assertNull(last.judgeAgain());
            release.countDown();
            Await.until(() -> asked.contains("last") && asked.size() >= MANY.size() + 1);
            assertEquals(MANY.size() + 1, asked.size());
            assertEquals(MANY.size() + 1, Set.copyOf(asked).size());
        }
    }

    /** A call that was admitted after the API server reviewed its token. */
    private static Admission asked(AccessControl control, String token) throws InterruptedException {
        Admission admission = control.admission(Caller.UNKNOWN, "Bearer " + token, Set.of(Right.ASK));
        assertTrue(admission.mustAsk());
        admission.ask();
        assertNull(admission.judge());
        return admission;
    }

    /** Checks the call until the API server was asked. Returns why the call is then rejected. */
    private static @Nullable RequestException judgedWhenAsked(AccessControl control, Admission open)
            throws InterruptedException {
        while (control.admission(Caller.UNKNOWN, "Bearer secret", Set.of(Right.ASK))
                .mustAsk()) {
            RequestException refused = open.judgeAgain();
            if (refused != null) {
                return refused;
            }
            Thread.sleep(1);
        }
        return open.judgeAgain();
    }

    private static void look(AccessControl control, int times) {
        for (int i = 0; i < times; i++) {
            control.look();
        }
    }

    @Test
    void badFile_isRefusedAtTheStart_withOptionFileAndLine() throws Exception {
        Path rules = write("rules", "rules:\n- token: a\n  may: [all]\n");
        IOException refused =
                assertThrows(IOException.class, () -> control(new AccessOptions(null, null, null, null, rules)));
        assertEquals(
                "--access " + rules + ": line 3: rules[0].may[0] must be one of ask, reserve, feed, was 'all'",
                refused.getMessage());
        Path none = directory.resolve("none");
        IOException missing =
                assertThrows(IOException.class, () -> control(new AccessOptions(null, null, null, none, null)));
        assertEquals("--tokens " + none + ": no such file", missing.getMessage());
    }

    @Test
    void rules_areSwapped_andASocketIsACaller() throws Exception {
        Path socket = directory.resolve("e.sock");
        Path rules = write("rules", "rules: [{socket: " + socket + ", may: [ask]}]");
        try (AccessControl control = control(new AccessOptions(null, null, null, null, rules))) {
            Caller caller = AccessControl.callerThrough(socket);
            assertNull(reason(control, caller, null));
            assertEquals(
                    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING,
                    reason(control, AccessControl.callerThrough(directory.resolve("other")), null));
            assertEquals(
                    ErrorReason.ERROR_REASON_CREDENTIALS_MISSING,
                    reason(control.admission(caller, null, Set.of(Right.FEED)).judge()));
            write("rules", "rules: [{socket: " + socket + ", may: [feed]}]");
            look(control, 2);
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_MISSING, reason(control, caller, null));
            assertNull(control.admission(caller, null, Set.of(Right.FEED)).judge());
        }
    }

    @Test
    void halfWrittenPair_isRefusedInOneLine_andTakenWhenItIsWhole() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued first = authority.issue("e", "localhost");
        Instant later = Instant.now().plus(Duration.ofDays(20));
        TestAuthority.Issued second = authority.issue("e", TestAuthority.keys("RSA"), later, "localhost");
        Path certificate = write("tls.crt", first.certificatePem());
        Path key = write("tls.key", first.keyPem());
        try (AccessControl control = control(new AccessOptions(certificate, key, null, null, null))) {
            double ends = control.certificateEndsSeconds();
            assertEquals((double) first.certificate().getNotAfter().toInstant().getEpochSecond(), ends);
            log.clear();
            write("tls.crt", second.certificatePem());
            look(control, 4);
            assertEquals(
                    List.of("--tls-cert, --tls-key " + certificate + ", " + key
                            + ": contains no private key of the certificate's type, RSA; keeping the previous"
                            + " version"),
                    log);
            assertEquals(ends, control.certificateEndsSeconds());
            write("tls.key", second.keyPem());
            look(control, 2);
            assertEquals(
                    (double) second.certificate().getNotAfter().toInstant().getEpochSecond(),
                    control.certificateEndsSeconds());
        }
    }

    /** Kubernetes mounts a secret as links to files below another link, and changes that link. */
    @Test
    void filesBehindALink_areTakenTogether() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        Path data = directory.resolve("..data");
        Files.createSymbolicLink(data, version(authority, "1"));
        Path certificate = Files.createSymbolicLink(directory.resolve("tls.crt"), Path.of("..data", "tls.crt"));
        Path key = Files.createSymbolicLink(directory.resolve("tls.key"), Path.of("..data", "tls.key"));
        try (AccessControl control = control(new AccessOptions(certificate, key, null, null, null))) {
            log.clear();
            Path link = Files.createSymbolicLink(directory.resolve("..data_tmp"), version(authority, "2"));
            Files.move(link, data, StandardCopyOption.ATOMIC_MOVE);
            look(control, 2);
            assertEquals(
                    List.of("--tls-cert, --tls-key " + certificate + ", " + key + ": changed; reloaded"),
                    log.subList(0, 1));
        }
    }

    private Path version(TestAuthority authority, String name) throws IOException {
        TestAuthority.Issued issued = authority.issue("e");
        Path version = Files.createDirectory(directory.resolve(name));
        Files.writeString(version.resolve("tls.crt"), issued.certificatePem());
        Files.writeString(version.resolve("tls.key"), issued.keyPem());
        return version;
    }

    @Test
    void certificate_isWarnedOf_aWeekBeforeItEnds_onceADay() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        Instant end = Instant.now().plus(Duration.ofDays(20)).truncatedTo(ChronoUnit.SECONDS);
        TestAuthority.Issued issued = authority.issue("e", TestAuthority.keys("EC"), end);
        Path certificate = write("tls.crt", issued.certificatePem());
        Path key = write("tls.key", issued.keyPem());
        try (AccessControl control = control(new AccessOptions(certificate, key, null, null, null))) {
            assertEquals(List.of(), log);
            now = end.minus(Duration.ofDays(6));
            look(control, 3);
            assertEquals(List.of("the server's certificate expires at " + end), log);
            now = end.plus(Duration.ofDays(1));
            look(control, 3);
            assertEquals("the server's certificate expired at " + end, log.get(1));
            assertEquals(2, log.size());
        }
    }

    @Test
    void clientCertificate_isKnownByItsNames_untilItEnds_orItsAuthorityGoes() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued server = authority.issue("e");
        Path certificate = write("tls.crt", server.certificatePem());
        Path key = write("tls.key", server.keyPem());
        Path clientCa = write("ca.crt", authority.pem());
        Path rules = write(
                "rules",
                "rules: [{certificate: c, may: [ask]}, {certificate: spiffe://e/b, may: [feed]},"
                        + " {certificate: 10.0.0.1, may: [reserve]}]");
        AccessOptions options = new AccessOptions(certificate, key, clientCa, null, rules);
        try (AccessControl control = control(options)) {
            Caller caller = Caller.with(authority
                    .issue("c", "a.example", "spiffe://e/b", "10.0.0.1")
                    .certificate());
            for (Right right : Right.values()) {
                assertNull(control.admission(caller, null, Set.of(right)).judge());
            }
            Caller other = Caller.with(authority.issue("d", "b.example").certificate());
            RequestException refused =
                    control.admission(other, null, Set.of(Right.ASK)).judge();
            assertNotNull(refused);
            assertEquals(ErrorReason.ERROR_REASON_RIGHT_MISSING, refused.reason());
            assertTrue(refused.getMessage().endsWith(": certificate d, certificate b.example"), refused.getMessage());
            // A resumed session may show a certificate that would no longer be accepted.
            Caller foreign = Caller.with(
                    new TestAuthority("foreign").issue("c", "a.example").certificate());
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(control, foreign, null));
            Admission open = control.admission(caller, null, Set.of(Right.ASK));
            assertNull(open.judge());
            write("ca.crt", new TestAuthority("new").pem());
            look(control, 2);
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(open.judgeAgain()));
            write("ca.crt", authority.pem());
            look(control, 2);
            assertNull(open.judgeAgain());
            now = now.plus(Duration.ofHours(2));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(open.judgeAgain()));
        }
    }

    @Test
    void clientCertificate_isRefused_onceAnAuthorityBetweenHasEnded() throws Exception {
        TestAuthority authority = new TestAuthority("authority");
        TestAuthority.Issued server = authority.issue("e");
        AccessOptions options = new AccessOptions(
                write("tls.crt", server.certificatePem()),
                write("tls.key", server.keyPem()),
                write("ca.crt", authority.pem()),
                null,
                null);
        try (AccessControl control = control(options)) {
            Instant end;
            Caller needsIt;
            Caller showsIt;
            Admission open;
            RequestException refused;
            ErrorReason reason;
            int seconds = 1;
            do {
                // On a busy machine, it may expire before it is checked.
                seconds *= 2;
                end = Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS);
                TestAuthority between = authority.intermediate("between", end);
                needsIt = Caller.with(between.issue("c").certificate(), between.certificate());
                showsIt = Caller.with(authority.issue("c").certificate(), between.certificate());
                open = control.admission(needsIt, null, Set.of(Right.ASK));
                refused = open.judge();
                reason = reason(control, showsIt, null);
            } while (!Instant.now().isBefore(end));
            assertNull(refused);
            assertNull(reason);
            // The library that validates chains uses its own clock. A certificate is still valid in its last
            // millisecond.
            Instant last = end;
            Await.until(() -> Instant.now().toEpochMilli() > last.toEpochMilli());
            now = Instant.now();
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(open.judgeAgain()));
            assertEquals(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, reason(control, needsIt, null));
            assertNull(reason(control, showsIt, null), "what is shown in vain may have ended");
        }
    }
}

package io.evenkeel.kube;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.kube.AttemptOutcome.Decision;
import io.evenkeel.kube.client.ApiException;
import io.evenkeel.kube.client.MalformedAnswerException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AttemptOutcomeTest {
    private static final Duration SHORT = Duration.ofMillis(4_999);
    private static final Duration LONG = Duration.ofSeconds(5);

    private static AttemptOutcome resumed(
            AttemptOutcome.Progress progress, Duration lasted, @Nullable Exception failure) {
        return new AttemptOutcome(true, progress, lasted, failure);
    }

    /** An attempt without a version to resume from, or with that of a paged list. */
    private static AttemptOutcome first(
            AttemptOutcome.Progress progress, Duration lasted, @Nullable Exception failure) {
        return new AttemptOutcome(false, progress, lasted, failure);
    }

    private static ApiException refused(int status) {
        return new ApiException(status, "for a test", Duration.ZERO);
    }

    @Test
    void listInPages_isFollowedByItsWatch_howeverLongItTook() {
        assertEquals(
                Decision.GO_ON,
                first(AttemptOutcome.Progress.LISTED, SHORT, null).decision());
        assertEquals(
                Decision.GO_ON,
                first(AttemptOutcome.Progress.LISTED, LONG, null).decision());
        assertFalse(first(AttemptOutcome.Progress.LISTED, LONG, null).endsFailures(), "its watch may still fail");
    }

    @ParameterizedTest
    @EnumSource(
            value = AttemptOutcome.Progress.class,
            names = {"WATCHING", "ADVANCED"})
    void watchThatLasts_mayEnd_andEndsARowOfFailures(AttemptOutcome.Progress progress) {
        assertEquals(Decision.GO_ON, resumed(progress, LONG, null).decision());
        assertTrue(resumed(progress, LONG, null).endsFailures());
        assertTrue(resumed(progress, LONG, new IOException("cut")).endsFailures());
        assertTrue(first(progress, LONG, refused(410)).endsFailures());
        assertFalse(resumed(progress, SHORT, null).endsFailures());
        assertFalse(first(progress, SHORT, refused(410)).endsFailures());
    }

    @Test
    void watchThatEndsAtOnce_isAFailure_unlessItBroughtSomething() {
        AttemptOutcome nothing = resumed(AttemptOutcome.Progress.WATCHING, SHORT, null);
        assertEquals(Decision.WAIT, nothing.decision());
        assertEquals("watch ended immediately", nothing.problem().getMessage());
        assertEquals(
                Decision.GO_ON_AFTER_CUT,
                resumed(AttemptOutcome.Progress.ADVANCED, SHORT, null).decision());
        assertEquals(
                Decision.GO_ON_AFTER_CUT,
                first(AttemptOutcome.Progress.ADVANCED, SHORT, null).decision());
    }

    @Test
    void failureOfAWatchThatBroughtSomething_isWaitedForShortly_unlessItFollowsAList() {
        IOException cut = new IOException("cut");
        assertEquals(
                Decision.WAIT_AFTER_CUT,
                resumed(AttemptOutcome.Progress.ADVANCED, SHORT, cut).decision());
        assertSame(cut, resumed(AttemptOutcome.Progress.ADVANCED, SHORT, cut).problem());
        assertEquals(
                Decision.WAIT,
                resumed(AttemptOutcome.Progress.ADVANCED, LONG, cut).decision());
        assertEquals(
                Decision.WAIT,
                resumed(AttemptOutcome.Progress.WATCHING, SHORT, cut).decision());
        assertEquals(
                Decision.WAIT,
                first(AttemptOutcome.Progress.ADVANCED, SHORT, cut).decision());
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 429, 500, 503})
    void refusal_isWaitedFor_andTheVersionStays(int status) {
        assertEquals(
                Decision.WAIT,
                resumed(AttemptOutcome.Progress.NOTHING, SHORT, refused(status)).decision());
        assertEquals(
                Decision.WAIT,
                first(AttemptOutcome.Progress.NOTHING, LONG, refused(status)).decision());
        assertFalse(
                resumed(AttemptOutcome.Progress.NOTHING, LONG, refused(status)).endsFailures());
    }

    @ParameterizedTest
    @EnumSource(
            value = AttemptOutcome.Progress.class,
            names = {"NOTHING", "WATCHING", "ADVANCED"})
    void versionThatCannotBeUsed_leadsToAList(AttemptOutcome.Progress progress) {
        for (Exception failure : List.of(
                refused(410),
                refused(400),
                refused(422),
                new OlderStateException("older"),
                new MalformedAnswerException("malformed"),
                new IllegalStateException("taken over"))) {
            assertEquals(Decision.LIST_ANEW, resumed(progress, SHORT, failure).decision(), failure::toString);
            assertEquals(Decision.LIST_ANEW, first(progress, LONG, failure).decision(), failure::toString);
        }
    }

    /** If the watch after each list is too old, lists must become less and less frequent. */
    @ParameterizedTest
    @CsvSource({"true, 410, true", "false, 410, false", "true, 400, false", "true, 500, false"})
    void versionThatIsTooOld_showsThatTheServerIsThereAgain_ifNoListCameBefore(
            boolean resumed, int status, boolean expected) {
        assertEquals(
                expected,
                new AttemptOutcome(resumed, AttemptOutcome.Progress.NOTHING, SHORT, refused(status)).endsFailures());
    }

    @Test
    void silentWatch_isOpenedAgain_andASilentServerIsWaitedFor() {
        SocketTimeoutException silent = new SocketTimeoutException("silent");
        for (AttemptOutcome.Progress progress :
                List.of(AttemptOutcome.Progress.WATCHING, AttemptOutcome.Progress.ADVANCED)) {
            assertEquals(Decision.GO_ON, resumed(progress, LONG, silent).decision());
            assertEquals(Decision.GO_ON, first(progress, SHORT, silent).decision());
        }
        assertEquals(
                Decision.WAIT,
                resumed(AttemptOutcome.Progress.NOTHING, LONG, silent).decision());
    }

    @Test
    void attempt_reportsHowFarItGot_andLastsFromTheEndOfItsStreamedList() {
        Instant began = Instant.parse("2026-01-02T03:04:05Z");
        Attempt attempt = new Attempt(began, true);
        assertEquals(resumed(AttemptOutcome.Progress.NOTHING, LONG, null), attempt.outcome(null, began.plus(LONG)));
        attempt.opened();
        assertEquals(resumed(AttemptOutcome.Progress.WATCHING, LONG, null), attempt.outcome(null, began.plus(LONG)));
        attempt.advanced();
        assertEquals(resumed(AttemptOutcome.Progress.ADVANCED, LONG, null), attempt.outcome(null, began.plus(LONG)));
        Attempt listing = new Attempt(began, false);
        listing.listStreamed(began.plus(LONG));
        assertFalse(listing.isListed());
        assertEquals(
                first(AttemptOutcome.Progress.ADVANCED, SHORT, null),
                listing.outcome(null, began.plus(LONG).plus(SHORT)));
        Attempt inPages = new Attempt(began, false);
        inPages.listed();
        assertTrue(inPages.isListed());
    }

    @Test
    void attempt_isGivenUpOnce() {
        Attempt attempt = new Attempt(Instant.EPOCH, true);
        assertFalse(attempt.givenUp().isDone());
        RuntimeException why = new IllegalStateException("taken over");
        attempt.giveUp(why);
        attempt.giveUp(new IllegalStateException("taken over once more"));
        assertSame(
                why,
                assertThrows(CompletionException.class, attempt.givenUp()::join).getCause());
    }
}

package io.evenkeel.access;

import io.evenkeel.placement.call.RequestException;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a call and the right it needs. The call is checked when it begins, and again while it is open. Not
 * thread-safe.
 */
public final class Admission {
    private final AccessControl control;
    private final Caller caller;
    private final byte @Nullable [] hash;

    /** The token, if Kubernetes may have to review it; otherwise null. */
    private final TokenReviewQueue.@Nullable Token token;

    private final Right right;
    private long judgedAt;

    /** The last review of the token. */
    private ReviewedTokens.@Nullable Said said;

    Admission(
            AccessControl control,
            Caller caller,
            byte @Nullable [] hash,
            TokenReviewQueue.@Nullable Token token,
            Right right) {
        this.control = control;
        this.caller = caller;
        this.hash = hash;
        this.token = token;
        this.right = right;
    }

    /** Whether Kubernetes must review the token before the call can be checked. */
    public boolean mustAsk() {
        byte[] shown = hash;
        if (token == null || shown == null || control.isKnown(shown)) {
            return false;
        }
        said = token.recall();
        if (said == null) {
            return true;
        }
        token.renewSoon();
        return false;
    }

    /** Has Kubernetes review the token, and waits for the result. */
    public void ask() throws InterruptedException {
        if (token != null) {
            said = token.ask();
        }
    }

    /** Why the call is rejected; null if it may continue. */
    public @Nullable RequestException judge() {
        judgedAt = control.version();
        return control.judge(caller, hash, said, right);
    }

    /** Why the call is rejected, checked only if something has changed since the last check. */
    public @Nullable RequestException judgeAgain() {
        boolean asked = said != null && token != null && refresh(said, token);
        return judgedAt == control.version() && !control.mustBeJudgedAgain(caller) && !asked ? null : judge();
    }

    /** Takes a newer review if there is one, and requests another if the last one is old. */
    private boolean refresh(ReviewedTokens.Said last, TokenReviewQueue.Token shown) {
        ReviewedTokens.Said now = shown.recall();
        if (now == null) {
            shown.askAgainLater(last);
            return false;
        }
        // While the API server does not answer, the last review remains valid.
        if (now.equals(last) || now.problem() != null) {
            return false;
        }
        said = now;
        return true;
    }
}

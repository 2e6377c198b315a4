package io.evenkeel.access;

import io.evenkeel.placement.call.RequestException;
import org.jspecify.annotations.Nullable;

/**
 * What a call has shown, and what it needs. It is judged when it begins, and again while it is open. Only one thread at
 * a time may use it.
 */
public final class Admission {
    private final AccessControl control;
    private final Caller caller;
    private final byte @Nullable [] hash;

    /** The token, where Kubernetes may have to be asked; otherwise null. */
    private final TokenReviewQueue.@Nullable Token token;

    private final Right right;
    private long judgedAt;

    /** What Kubernetes has said of the token last. */
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

    /** Whether Kubernetes must be asked before the call is judged. */
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

    /** Asks Kubernetes, and waits for the answer. */
    public void ask() throws InterruptedException {
        if (token != null) {
            said = token.ask();
        }
    }

    /** Why the call is refused; null where it may go on. */
    public @Nullable RequestException judge() {
        judgedAt = control.version();
        return control.judge(caller, hash, said, right);
    }

    /** As {@link #judge}, but only where something has changed since. */
    public @Nullable RequestException judgeAgain() {
        boolean asked = said != null && token != null && refresh(said, token);
        return judgedAt == control.version() && !control.mustBeJudgedAgain(caller) && !asked ? null : judge();
    }

    /** Takes what Kubernetes has said meanwhile, and has it asked again where that is long ago. */
    private boolean refresh(ReviewedTokens.Said last, TokenReviewQueue.Token shown) {
        ReviewedTokens.Said now = shown.recall();
        if (now == null) {
            shown.askAgainLater(last);
            return false;
        }
        // While the API server does not answer, the last answer holds.
        if (now.equals(last) || now.problem() != null) {
            return false;
        }
        said = now;
        return true;
    }
}

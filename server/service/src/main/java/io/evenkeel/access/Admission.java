package io.evenkeel.access;

import io.evenkeel.placement.call.RequestException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a call and the rights it needs. The call is checked when it begins, and again while it is open.
 * Not thread-safe.
 */
public final class Admission {
    private final AccessControl control;
    private final Caller caller;
    private final byte @Nullable [] hash;

    /** The token, if Kubernetes may have to review it; otherwise null. */
    private final TokenReviews.@Nullable Token token;

    private final Set<Right> rights;
    private long judgedAt;

    /** The last review of the token. */
    private TokenReviews.@Nullable Review review;

    Admission(
            AccessControl control,
            Caller caller,
            byte @Nullable [] hash,
            TokenReviews.@Nullable Token token,
            Set<Right> rights) {
        this.control = control;
        this.caller = caller;
        this.hash = hash;
        this.token = token;
        this.rights = rights;
    }

    /** Whether Kubernetes must review the token before the call can be checked. */
    public boolean mustAsk() {
        byte[] shown = hash;
        if (token == null || shown == null || control.isKnown(shown)) {
            return false;
        }
        review = token.cached();
        return review == null;
    }

    /** Has Kubernetes review the token, and waits for the result. */
    public void ask() throws InterruptedException {
        if (token != null) {
            review = token.review();
        }
    }

    /** Why the call is rejected; null if it may continue. */
    public @Nullable RequestException judge() {
        judgedAt = control.version();
        return control.judge(caller, hash, review, rights);
    }

    /** Who makes the call. Equal for callers that are known by the same subjects. */
    public Object identity() {
        return Set.copyOf(control.subjects(caller, hash, review));
    }

    /** Why the call is rejected, checked only if something has changed since the last check. */
    public @Nullable RequestException judgeAgain() {
        boolean asked = review != null && token != null && refresh(review, token);
        return judgedAt == control.version() && !control.mustBeJudgedAgain(caller) && !asked ? null : judge();
    }

    /** Takes a newer review if there is one, and requests another if the last one is old. */
    private boolean refresh(TokenReviews.Review last, TokenReviews.Token shown) {
        TokenReviews.Review now = shown.cached();
        if (now == null) {
            shown.reviewAgainLater(last);
            return false;
        }
        // While the API server does not answer, the last review remains valid.
        if (now.equals(last) || now.problem() != null) {
            return false;
        }
        review = now;
        return true;
    }
}

package io.evenkeel.access;

import io.evenkeel.placement.call.RequestException;
import org.jspecify.annotations.Nullable;

/** What a call has shown, and what it needs. It is judged when it begins, and again while it is open. */
public final class Admission {
    private final AccessControl control;
    private final Caller caller;
    private final byte @Nullable [] token;
    private final Right right;
    private long judgedAt;

    Admission(AccessControl control, Caller caller, byte @Nullable [] token, Right right) {
        this.control = control;
        this.caller = caller;
        this.token = token;
        this.right = right;
    }

    /** Why the call is refused; null where it may go on. */
    public @Nullable RequestException judge() {
        judgedAt = control.version();
        return control.judge(caller, token, right);
    }

    /** As {@link #judge}, but only where something has changed since. */
    public @Nullable RequestException judgeAgain() {
        return judgedAt == control.version() && !control.isOver(caller) ? null : judge();
    }
}

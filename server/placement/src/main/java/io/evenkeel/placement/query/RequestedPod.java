package io.evenkeel.placement.query;

import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.UnjudgedRules;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/**
 * A pod of a request, in one of three states: a message yet to be translated, the translated pod, or the error that
 * rejects it. Immutable.
 */
public final class RequestedPod {
    private final @Nullable Pod message;
    private final @Nullable CachedPod pod;
    private final @Nullable InvalidObjectException refusal;
    private final boolean wasParsed;
    private final int unjudged;

    private RequestedPod(
            @Nullable Pod message,
            @Nullable CachedPod pod,
            @Nullable InvalidObjectException refusal,
            boolean wasParsed,
            int unjudged) {
        this.message = message;
        this.pod = pod;
        this.refusal = refusal;
        this.wasParsed = wasParsed;
        this.unjudged = unjudged;
    }

    /**
     * A pod that was found in the cache.
     *
     * @param unjudged the rules that its fields call for and that are not judged, which need not be those of the cached
     *     one
     */
    static RequestedPod known(CachedPod pod, int unjudged) {
        return new RequestedPod(null, pod, null, false, unjudged);
    }

    /** A pod that was parsed and translated; see {@link #known}. */
    static RequestedPod parsed(CachedPod pod, int unjudged) {
        return new RequestedPod(null, pod, null, true, unjudged);
    }

    /** A pod that was parsed and is invalid. */
    static RequestedPod refused(InvalidObjectException refusal) {
        return new RequestedPod(null, null, refusal, true, 0);
    }

    /** A pod given as a message. */
    static RequestedPod of(Pod message) {
        return new RequestedPod(message, null, null, false, 0);
    }

    /** The message if it is yet to be translated; otherwise null. */
    @Nullable
    Pod message() {
        return message;
    }

    /**
     * The translated pod; null if it is yet to be translated.
     *
     * @throws InvalidObjectException if the pod is invalid
     */
    @Nullable
    CachedPod pod() throws InvalidObjectException {
        if (refusal != null) {
            throw refusal;
        }
        return pod;
    }

    /** The rules that the fields of a translated pod call for and that are not judged; see {@link UnjudgedRules}. */
    int unjudged() {
        return unjudged;
    }

    /** True if its bytes had to be parsed, which takes time. */
    boolean wasParsed() {
        return wasParsed;
    }
}

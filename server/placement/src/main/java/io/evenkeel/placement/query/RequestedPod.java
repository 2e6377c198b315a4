package io.evenkeel.placement.query;

import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.v1.Pod;
import org.jspecify.annotations.Nullable;

/**
 * A pod of a request, in one of three states: a message that is still to be translated, the translated pod, or the
 * reason why it is refused. Immutable.
 */
public final class RequestedPod {
    private final @Nullable Pod message;
    private final @Nullable CachedPod pod;
    private final @Nullable InvalidObjectException refusal;
    private final boolean wasParsed;

    private RequestedPod(
            @Nullable Pod message,
            @Nullable CachedPod pod,
            @Nullable InvalidObjectException refusal,
            boolean wasParsed) {
        this.message = message;
        this.pod = pod;
        this.refusal = refusal;
        this.wasParsed = wasParsed;
    }

    /** A pod whose bytes were found among those asked about before. */
    static RequestedPod known(CachedPod pod) {
        return new RequestedPod(null, pod, null, false);
    }

    /** A pod that was parsed and translated. */
    static RequestedPod parsed(CachedPod pod) {
        return new RequestedPod(null, pod, null, true);
    }

    /** A pod that was parsed and breaks a rule. */
    static RequestedPod refused(InvalidObjectException refusal) {
        return new RequestedPod(null, null, refusal, true);
    }

    /** A pod that comes as a message. */
    static RequestedPod of(Pod message) {
        return new RequestedPod(message, null, null, false);
    }

    /** The message; null unless it is still to be translated. */
    @Nullable
    Pod message() {
        return message;
    }

    /**
     * The translated pod; null where it is still to be translated.
     *
     * @throws InvalidObjectException where the pod breaks a rule
     */
    @Nullable
    CachedPod pod() throws InvalidObjectException {
        if (refusal != null) {
            throw refusal;
        }
        return pod;
    }

    /** Whether its bytes had to be parsed, which takes time. */
    boolean wasParsed() {
        return wasParsed;
    }
}

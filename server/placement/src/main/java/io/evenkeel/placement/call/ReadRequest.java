package io.evenkeel.placement.call;

import io.evenkeel.v1.Freshness;

/**
 * A request that a transport has read. If it must wait, only its bytes are kept.
 *
 * @param <A> the answer
 */
public interface ReadRequest<A> {
    /** How new the state must be; the default instance accepts any state. */
    Freshness freshness();

    /**
     * Validates the request.
     *
     * @throws RequestException if it is rejected
     */
    Prepared<A> prepare();

    /** The same request, as kept while it waits. It does not reference anything that was parsed from the bytes. */
    KeptRequest<A> kept();
}

package io.evenkeel.placement.call;

import io.evenkeel.v1.Freshness;

/**
 * A request that a transport has read. Where it must wait, only its bytes are kept.
 *
 * @param <A> the answer
 */
public interface ReadRequest<A> {
    /** How new the state must be; the default instance demands nothing. */
    Freshness freshness();

    /**
     * Checks the request.
     *
     * @throws RequestException where it is refused
     */
    Prepared<A> prepare();

    /** The same request as it waits. It refers to nothing that was read from the bytes. */
    KeptRequest<A> kept();
}

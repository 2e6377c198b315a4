package io.evenkeel.placement.call;

/**
 * Finds what serves the calls of a session.
 *
 * @param <T> such as the handler of a method
 */
@FunctionalInterface
public interface SessionLookup<T> {
    /**
     * What serves the calls of a session. Counts as a use of the session.
     *
     * @param identity who calls; see {@link Call#identity}
     * @throws RequestException if the caller has no such session
     */
    T find(String session, Object identity);
}

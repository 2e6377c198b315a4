package io.evenkeel.client;

import io.evenkeel.v1.Revision;
import java.util.List;

/**
 * Pods for which an event has made a node pass that did not pass before.
 *
 * @param revision the state after that event; the server that is asked again may have a newer one
 * @param keys the keys with which the pods are watched
 */
public record UnblockedPods(Revision revision, List<String> keys) {
    public UnblockedPods {
        keys = List.copyOf(keys);
    }
}

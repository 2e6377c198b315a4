package io.evenkeel.objects;

import io.evenkeel.engine.model.PodRequests;

/**
 * The requests of a pod of the cluster.
 *
 * @param asked by its spec alone
 * @param taken from its node, which may be more while it is resized
 */
record ScannedRequests(PodRequests asked, PodRequests taken) {
    static final ScannedRequests UNKNOWN = new ScannedRequests(PodRequests.UNKNOWN, PodRequests.UNKNOWN);
}

package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.EncodedRequest;

/**
 * An encoded message of {@code Sync}.
 *
 * @param changes how many objects or events it holds; each should change something
 */
record SyncMessage(EncodedRequest request, int changes) {}

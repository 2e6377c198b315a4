package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.EncodedRequest;

/**
 * A message of {@code Sync}.
 *
 * @param changes how many objects or events are in it; each is to change something
 */
record SyncMessage(EncodedRequest request, int changes) {}

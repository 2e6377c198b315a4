package io.evenkeel.loadtest.feed;

import io.evenkeel.loadtest.load.EncodedRequest;

/**
 * An encoded {@code Sync} message.
 *
 * @param changes the number of objects or events in it, each of which should change something
 */
record SyncMessage(EncodedRequest request, int changes) {}

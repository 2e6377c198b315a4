package io.evenkeel.loadtest.peer;

import org.jspecify.annotations.Nullable;

/**
 * A question and both answers.
 *
 * @param plugin null where that side was not run
 */
record PeerRow(PeerQuestion question, @Nullable PeerAnswer plugin, PeerAnswer evenkeel) {
    /** How many times as long as Evenkeel's median call the plugin's takes; 0 where that side was not run. */
    double ratio() {
        return plugin == null ? 0 : (double) plugin.p50Nanos() / Math.max(1, evenkeel.p50Nanos());
    }
}

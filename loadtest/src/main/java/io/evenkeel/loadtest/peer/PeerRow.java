package io.evenkeel.loadtest.peer;

import org.jspecify.annotations.Nullable;

/**
 * A question with the answers of both sides.
 *
 * @param plugin the plugin's answer; null if the plugin was not run
 */
record PeerRow(PeerQuestion question, @Nullable PeerAnswer plugin, PeerAnswer evenkeel) {
    /** The plugin's median time divided by Evenkeel's; 0 if the plugin was not run. */
    double ratio() {
        return plugin == null ? 0 : (double) plugin.p50Nanos() / Math.max(1, evenkeel.p50Nanos());
    }
}

/**
 * The load generator: it measures how long calls take at a given load, and how they fail.
 *
 * <p>An <em>open loop</em> makes calls on a schedule, whether or not earlier calls have ended, as independent callers
 * do. The latency of a call counts from the time at which it was due, so that all calls delayed by a stall of the
 * server show it. A <em>closed loop</em> keeps a number of calls under way and makes the next when one ends. It shows
 * the throughput; but a stalled server is then asked less, so that few calls show the stall (coordinated omission).
 */
@NullMarked
package io.evenkeel.loadtest.load;

import org.jspecify.annotations.NullMarked;

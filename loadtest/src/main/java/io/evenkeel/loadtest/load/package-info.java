/**
 * The load generator: how long calls take at a given load, and how they fail.
 *
 * <p>An <em>open loop</em> makes calls on a schedule, whatever becomes of those before, as independent callers do; a
 * call's latency counts from the time at which it was due, so that calls which a stalled server held up tell of it. A
 * <em>closed loop</em> keeps a number of calls under way and makes the next when one ends: what throughput there is,
 * but a stalled server is then asked less, and its stall is seen by few calls (coordinated omission).
 */
@NullMarked
package io.evenkeel.loadtest.load;

import org.jspecify.annotations.NullMarked;

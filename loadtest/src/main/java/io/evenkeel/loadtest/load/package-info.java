/**
 * The load generator: it measures how long calls take at a given load, and how they fail.
 *
 * <p>An <em>open loop</em> makes calls on a schedule, whether or not earlier calls have ended, as independent callers
 * do. The latency of a call counts from when it was due, so that all calls delayed by a stall of the server show it. A
 * <em>closed loop</em> keeps a number of calls in flight and makes the next one when a call ends. It measures
 * throughput, but it calls a stalled server less often, so that few calls show the stall (coordinated omission).
 */
@NullMarked
package io.evenkeel.loadtest.load;

import org.jspecify.annotations.NullMarked;

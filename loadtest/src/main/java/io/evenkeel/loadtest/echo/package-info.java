/**
 * The echo service is the baseline for figures over gRPC. An echo has as many bytes in each direction as the measured
 * call, uses the same server and channel, and does nothing else. No gRPC call can be faster.
 */
@NullMarked
package io.evenkeel.loadtest.echo;

import org.jspecify.annotations.NullMarked;

/**
 * The echo service, with which figures over gRPC are compared. An echo has as many bytes in each direction as the
 * measured call, uses the same server and channel, and does nothing else. No call over gRPC can be faster.
 */
@NullMarked
package io.evenkeel.loadtest.echo;

import org.jspecify.annotations.NullMarked;

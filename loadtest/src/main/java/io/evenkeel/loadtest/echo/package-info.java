/**
 * The echo that figures over gRPC are compared with: a call with as many bytes in both directions as the measured one,
 * on the same server and channel, that does nothing else. No call over gRPC can be faster.
 */
@NullMarked
package io.evenkeel.loadtest.echo;

import org.jspecify.annotations.NullMarked;

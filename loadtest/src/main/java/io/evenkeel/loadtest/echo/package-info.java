/**
 * The floor of every figure that is measured over gRPC: a call that carries as many bytes both ways as the one that it
 * stands beside, on the same server and channel, and does nothing else.
 */
@NullMarked
package io.evenkeel.loadtest.echo;

import org.jspecify.annotations.NullMarked;

/**
 * What an answer costs over gRPC, beside an echo of equal size: calls of the one and of the other in turn, on one
 * connection to a server in a JVM of its own, so that whatever else the machine does is done to both.
 */
@NullMarked
package io.evenkeel.loadtest.rpc;

import org.jspecify.annotations.NullMarked;

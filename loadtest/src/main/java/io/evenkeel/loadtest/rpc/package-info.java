/**
 * Measures what an answer costs over gRPC, compared with an echo of equal size. Both are called in turn, on one
 * connection to a server in a JVM of its own, so that other load on the machine affects both.
 */
@NullMarked
package io.evenkeel.loadtest.rpc;

import org.jspecify.annotations.NullMarked;

/**
 * Measures the cost of an answer over gRPC, compared with an echo of equal size. The two alternate on one connection to
 * a server in a separate JVM, so that other load on the machine affects both.
 */
@NullMarked
package io.evenkeel.loadtest.rpc;

import org.jspecify.annotations.NullMarked;

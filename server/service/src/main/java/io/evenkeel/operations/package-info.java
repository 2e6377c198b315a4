/**
 * The interface for operators: gRPC health, the checks at {@code /livez} and {@code /readyz}, and the metrics at
 * {@code /metrics}.
 */
@NullMarked
package io.evenkeel.operations;

import org.jspecify.annotations.NullMarked;

/**
 * What those who run the server see of it: health states over gRPC, the checks at {@code /livez} and {@code /readyz},
 * and the metrics at {@code /metrics}.
 */
@NullMarked
package io.evenkeel.operations;

import org.jspecify.annotations.NullMarked;

/** Measures how a server follows an API server: time to the first answer, memory, latency and processor time. */
@NullMarked
package io.evenkeel.loadtest.kube;

import org.jspecify.annotations.NullMarked;

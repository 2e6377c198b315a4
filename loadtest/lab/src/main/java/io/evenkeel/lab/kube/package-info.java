/** Measures how a server follows an API server: time to the first answer, memory, latency and processor time. */
@NullMarked
package io.evenkeel.lab.kube;

import org.jspecify.annotations.NullMarked;

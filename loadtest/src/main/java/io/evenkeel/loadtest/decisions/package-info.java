/** Measures calls that list how workloads are spread and plan moves, next to the descheduler and kube-scheduler. */
@NullMarked
package io.evenkeel.loadtest.decisions;

import org.jspecify.annotations.NullMarked;

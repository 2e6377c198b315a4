/**
 * A real Kubernetes control plane for tests and measurements: its processes, a simple client, and code that fills it
 * with a generated cluster.
 */
@NullMarked
package io.evenkeel.lab.controlplane;

import org.jspecify.annotations.NullMarked;

/**
 * A real Kubernetes control plane for tests and measurements: its processes, a plain client for it, and its filling.
 */
@NullMarked
package io.evenkeel.lab.controlplane;

import org.jspecify.annotations.NullMarked;

/**
 * Follows a Kubernetes API server: lists and watches the six kinds of objects, and hands their bytes to an instance, as
 * a feeder of Sync does. {@link io.evenkeel.kube.KubeFeed} is where to begin.
 */
@NullMarked
package io.evenkeel.kube;

import org.jspecify.annotations.NullMarked;

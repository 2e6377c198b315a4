/**
 * Follows a Kubernetes API server: lists and watches all kinds of objects, and passes their bytes to an instance, as a
 * Sync feeder does. Start with {@link io.evenkeel.kube.KubeFeed}.
 */
@NullMarked
package io.evenkeel.kube;

import org.jspecify.annotations.NullMarked;

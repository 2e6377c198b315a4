/**
 * Reads Kubernetes objects from JSON or YAML, as kubectl, the API server and people write them, into messages of
 * {@code evenkeel.v1}. Files and streams come in; messages, pods to be placed and default constraints come out.
 *
 * <p>{@link io.evenkeel.manifest.ObjectReader} checks form: an {@link io.evenkeel.manifest.ObjectFormatException} ends
 * an input. The translators of {@code io.evenkeel.objects} check content.
 * {@link io.evenkeel.manifest.SchedulerConfiguration} does both for kube-scheduler's configuration file.
 */
@NullMarked
package io.evenkeel.manifest;

import org.jspecify.annotations.NullMarked;

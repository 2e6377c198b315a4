/**
 * Kubernetes objects from JSON or YAML, as kubectl, the API server and people write them, to messages of
 * {@code evenkeel.v1}.
 *
 * <p>Readers ({@link io.evenkeel.manifest.ObjectReader}, {@link io.evenkeel.manifest.WatchReader}) judge form: an
 * {@link io.evenkeel.manifest.ObjectFormatException} ends an input. Content is judged by the translators of
 * {@code io.evenkeel.objects}. {@link io.evenkeel.manifest.SchedulerConfiguration} does both for kube-scheduler's
 * configuration file.
 */
@NullMarked
package io.evenkeel.manifest;

import org.jspecify.annotations.NullMarked;

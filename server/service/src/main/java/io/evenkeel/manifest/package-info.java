/**
 * Reads Kubernetes objects from JSON or YAML, as written by kubectl, the API server and people, into messages of
 * {@code evenkeel.v1}: objects of the cluster, pods to be placed, and default constraints. Finds pods among the
 * objects, and what is missing.
 *
 * <p>{@link io.evenkeel.manifest.ObjectReader} checks the form and stops at the first
 * {@link io.evenkeel.manifest.ObjectFormatException}. The translators of {@code io.evenkeel.objects} check content.
 * {@link io.evenkeel.manifest.SchedulerConfiguration} does both for kube-scheduler's configuration file.
 */
@NullMarked
package io.evenkeel.manifest;

import org.jspecify.annotations.NullMarked;

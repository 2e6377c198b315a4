/**
 * What turns Kubernetes objects, from whatever source, into values of the engine, and refuses those that cannot be taken.
 *
 * <pre>
 * JSON, YAML ─► readers ─┐
 *                        ├─► messages of evenkeel.v1 ─► translators ─► values of the engine
 * gRPC ──────────────────┤
 *                        └─► bytes ─► PodScanner ─► records of pods
 * </pre>
 *
 * Readers ({@link io.evenkeel.feed.ObjectReader}, {@link io.evenkeel.feed.WatchReader}) judge form: an
 * {@link io.evenkeel.feed.ObjectFormatException} ends an input. Translators ({@link io.evenkeel.feed.StoredObjectTranslator}, {@link io.evenkeel.feed.PodScanner},
 * {@link io.evenkeel.feed.IncomingPodTranslator}, {@link io.evenkeel.feed.DefaultConstraintsTranslator}) judge content: an
 * {@link io.evenkeel.feed.InvalidObjectException} refuses one object and names each field and rule.
 * {@link io.evenkeel.feed.SchedulerConfiguration} does both for kube-scheduler's configuration file.
 */
@NullMarked
package io.evenkeel.feed;

import org.jspecify.annotations.NullMarked;

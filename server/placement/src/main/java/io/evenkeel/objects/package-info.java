/**
 * Converts Kubernetes objects, given as bytes or messages, into values of the engine. An invalid object is rejected
 * with the path of each invalid field and the rule that it violates.
 *
 * <pre>
 * JSON, YAML ─► io.evenkeel.manifest ─┐
 *                                     ├─► messages of evenkeel.v1 ─► translators ─► values of the engine
 * gRPC ───────────────────────────────┤
 *                                     └─► bytes ─► PodScanner ─► records of pods
 *
 * pods stored by the engine ─► TemplateReader ─► messages, as a caller would send them to ask about these pods
 * </pre>
 *
 * Translators ({@link io.evenkeel.objects.StoredObjectTranslator}, {@link io.evenkeel.objects.PodScanner},
 * {@link io.evenkeel.objects.IncomingPodTranslator}, {@link io.evenkeel.objects.DefaultConstraintsTranslator}) validate
 * content: an {@link io.evenkeel.objects.InvalidObjectException} rejects one object and names each field and rule.
 */
@NullMarked
package io.evenkeel.objects;

import org.jspecify.annotations.NullMarked;

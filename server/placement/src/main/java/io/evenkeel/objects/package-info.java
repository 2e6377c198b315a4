/**
 * Turns Kubernetes objects, from bytes and messages, into values of the engine. An object that cannot be taken is
 * refused with the path of each bad field and the rule that it breaks.
 *
 * <pre>
 * JSON, YAML ─► io.evenkeel.manifest ─┐
 *                                     ├─► messages of evenkeel.v1 ─► translators ─► values of the engine
 * gRPC ───────────────────────────────┤
 *                                     └─► bytes ─► PodScanner ─► records of pods
 *
 * pods that the engine keeps ─► TemplateReader ─► messages, as a caller would ask about these pods
 * </pre>
 *
 * Translators ({@link io.evenkeel.objects.StoredObjectTranslator}, {@link io.evenkeel.objects.PodScanner},
 * {@link io.evenkeel.objects.IncomingPodTranslator}, {@link io.evenkeel.objects.DefaultConstraintsTranslator}) check
 * content: an {@link io.evenkeel.objects.InvalidObjectException} refuses one object and names each field and rule.
 */
@NullMarked
package io.evenkeel.objects;

import org.jspecify.annotations.NullMarked;

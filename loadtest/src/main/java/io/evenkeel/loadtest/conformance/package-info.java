/**
 * Compares a server's answers with recorded ones.
 *
 * <p>A <em>corpus file</em> holds JSON lines, plain or gzip. A line is a <em>scenario</em>: {@code name}, optional
 * {@code defaults}, and {@code steps}, each of one kind:
 *
 * <ul>
 *   <li>{@code apply}: watch events
 *   <li>{@code query}: Filter and Score of one pod, with the expected answers
 *   <li>{@code whatIf}: Filter of one pod on one node of a hypothetical cluster
 *   <li>{@code whole}: the first filter that excludes each node, with its code and messages, and kube-scheduler's
 *       sentence if it excludes all
 *   <li>{@code ops}: operations in order. {@code place} puts a pod on the best node, {@code addNode} adds a node,
 *       {@code removeNode} removes a node and its pods, and {@code evict} removes a pod. {@code revert} undoes the
 *       operations since the newest {@code fork}, and {@code commit} keeps them. They are made in a session.
 * </ul>
 *
 * <p>A scenario starts from an empty cluster. One <em>answer</em> is one code, score, message, count of nodes with a
 * message, sentence, best node, or what-if result.
 */
@NullMarked
package io.evenkeel.loadtest.conformance;

import org.jspecify.annotations.NullMarked;

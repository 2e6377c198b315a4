/**
 * Compares a server's answers with recorded ones.
 *
 * <p>A <em>corpus file</em> holds JSON lines, plain or gzip. A line is a <em>scenario</em>: {@code name}, optional
 * {@code defaults}, and {@code steps}, each an {@code apply} (watch events), a {@code query} (Filter and Score of one
 * pod, with the expected answers) or a {@code whatIf}. A scenario starts from an empty cluster. One <em>answer</em> is
 * one node's code in a query, one score, or one what-if result.
 */
@NullMarked
package io.evenkeel.loadtest.conformance;

import org.jspecify.annotations.NullMarked;

/**
 * The command {@code bench}, and its subcommand that writes a generated cluster. Each other subcommand is in the
 * package of what it measures.
 */
@NullMarked
package io.evenkeel.loadtest.bench;

import org.jspecify.annotations.NullMarked;

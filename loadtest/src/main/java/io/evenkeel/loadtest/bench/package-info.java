/**
 * The command {@code bench} with its subcommands, and the one that writes a generated cluster. Each of the others lives
 * in the room of what it measures.
 */
@NullMarked
package io.evenkeel.loadtest.bench;

import org.jspecify.annotations.NullMarked;

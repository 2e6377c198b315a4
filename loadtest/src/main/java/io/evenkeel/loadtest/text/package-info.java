/** Writes output for people: lines of at most 100 columns, tables, progress, and colour only on a terminal. */
@NullMarked
package io.evenkeel.loadtest.text;

import org.jspecify.annotations.NullMarked;

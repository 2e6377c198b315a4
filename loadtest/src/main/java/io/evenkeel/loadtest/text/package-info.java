/** Output that a person reads: lines of at most 100 columns, tables, progress; colour only where it is shown. */
@NullMarked
package io.evenkeel.loadtest.text;

import org.jspecify.annotations.NullMarked;

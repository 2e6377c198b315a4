/** The commands that measure, under one parent. */
@NullMarked
package io.evenkeel.loadtest.bench;

import org.jspecify.annotations.NullMarked;

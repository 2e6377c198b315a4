/** Example programs. */
@NullMarked
package io.evenkeel.example;

import org.jspecify.annotations.NullMarked;

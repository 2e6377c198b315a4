/** Programs that show how to use Evenkeel. */
@NullMarked
package io.evenkeel.example;

import org.jspecify.annotations.NullMarked;

/** Incoming pods compiled to the counts that answer for them; which plans are kept, and how their counts are built. */
@NullMarked
package io.evenkeel.engine.plan;

import org.jspecify.annotations.NullMarked;

/** Incoming pods compiled to the counts that answer for them; which plans are kept. */
@NullMarked
package io.evenkeel.engine.plan;

import org.jspecify.annotations.NullMarked;

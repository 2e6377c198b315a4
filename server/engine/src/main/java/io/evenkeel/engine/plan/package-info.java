/**
 * Compiles incoming pods to plans, and decides which plans are kept. A pod and default constraints come in; a plan goes
 * out, which has acquired the parts of the index that answer for the pod. New parts are built here, in slices.
 */
@NullMarked
package io.evenkeel.engine.plan;

import org.jspecify.annotations.NullMarked;

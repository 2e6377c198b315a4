/**
 * A validating admission webhook that warns of topology spread constraints that cannot work as written. It never denies
 * anything.
 */
@NullMarked
package io.evenkeel.admission;

import org.jspecify.annotations.NullMarked;

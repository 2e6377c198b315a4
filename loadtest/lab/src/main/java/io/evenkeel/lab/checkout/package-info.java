/** The source checkout that the lab runs in. */
@NullMarked
package io.evenkeel.lab.checkout;

import org.jspecify.annotations.NullMarked;

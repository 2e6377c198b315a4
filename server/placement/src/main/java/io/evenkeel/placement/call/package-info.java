/** What all calls share: limits, errors, readiness, and waiting for a revision. */
@NullMarked
package io.evenkeel.placement.call;

import org.jspecify.annotations.NullMarked;

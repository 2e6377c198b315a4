/** What all calls share: how they are run, limits, errors, readiness, and waiting for a revision. */
@NullMarked
package io.evenkeel.placement.call;

import org.jspecify.annotations.NullMarked;

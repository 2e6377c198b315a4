/**
 * What all calls share: how they are run, limits, errors, readiness, and waiting for a revision. Transports pass
 * requests to {@link io.evenkeel.placement.call.CallRunner} with a {@link io.evenkeel.placement.call.Recipient}; the
 * handlers prepare and answer them, with access to the engine by {@link io.evenkeel.placement.call.EngineAccess}.
 */
@NullMarked
package io.evenkeel.placement.call;

import org.jspecify.annotations.NullMarked;

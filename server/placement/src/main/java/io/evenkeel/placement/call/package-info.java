/**
 * What all calls share: execution, limits, errors, readiness, and waiting for a revision. Transports pass requests to
 * {@link io.evenkeel.placement.call.CallRunner} with a {@link io.evenkeel.placement.call.Recipient}; the handlers
 * prepare and answer them, and access the engine through {@link io.evenkeel.placement.call.EngineAccess}.
 */
@NullMarked
package io.evenkeel.placement.call;

import org.jspecify.annotations.NullMarked;

/**
 * Answers ProvisioningRequests of an API server: whether their pods fit, one after another, and for how long their room
 * is booked. All that it knows is in the conditions of the requests, so nothing is lost with a process.
 */
@NullMarked
package io.evenkeel.provisioning;

import org.jspecify.annotations.NullMarked;

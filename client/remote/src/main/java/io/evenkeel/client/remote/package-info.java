/**
 * The remote client: sends calls to a server over gRPC, with retries and deadlines, and converts gRPC failures to the
 * client's. It contains no engine.
 */
@NullMarked
package io.evenkeel.client.remote;

import org.jspecify.annotations.NullMarked;

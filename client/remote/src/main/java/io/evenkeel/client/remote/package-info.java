/**
 * The remote client: it carries calls to a server over gRPC, with retries and deadlines, and turns gRPC's failures into
 * the client's. It has no engine.
 */
@NullMarked
package io.evenkeel.client.remote;

import org.jspecify.annotations.NullMarked;

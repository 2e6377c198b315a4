/**
 * A client with the index in its own process: no sockets, no server, no JVM flags. It calls the engine and the handlers
 * that stand behind the gRPC services, without gRPC.
 */
@NullMarked
package io.evenkeel.client.embedded;

import org.jspecify.annotations.NullMarked;

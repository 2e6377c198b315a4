/**
 * A client with the index in its own process: no sockets, no server, no JVM flags.
 *
 * <p>Needs {@code evenkeel-server} on the class path, of which it uses the engine and the handlers behind the gRPC services; {@code grpc-netty-shaded}, Jackson, picocli and
 * Micrometer may be left out.
 */
@NullMarked
package io.evenkeel.client.embedded;

import org.jspecify.annotations.NullMarked;

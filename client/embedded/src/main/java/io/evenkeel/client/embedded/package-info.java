/**
 * The embedded client: it has the index in its own process, without sockets, a server or JVM flags. Its calls go to the
 * same handlers as the calls of a server, but without gRPC.
 */
@NullMarked
package io.evenkeel.client.embedded;

import org.jspecify.annotations.NullMarked;

/**
 * The embedded client: has the index in the same process, without sockets, a server or JVM flags. Its calls use the
 * same handlers as a server's, but without gRPC.
 */
@NullMarked
package io.evenkeel.client.embedded;

import org.jspecify.annotations.NullMarked;

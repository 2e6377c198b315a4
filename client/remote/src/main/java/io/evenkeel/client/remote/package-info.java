/** A client of a server, over gRPC. */
@NullMarked
package io.evenkeel.client.remote;

import org.jspecify.annotations.NullMarked;

/** A client for services in the JVM, remote or embedded. */
@NullMarked
package io.evenkeel.client;

import org.jspecify.annotations.NullMarked;

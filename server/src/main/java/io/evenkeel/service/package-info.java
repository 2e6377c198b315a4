/** The gRPC services of {@code evenkeel.v1}. */
@NullMarked
package io.evenkeel.service;

import org.jspecify.annotations.NullMarked;

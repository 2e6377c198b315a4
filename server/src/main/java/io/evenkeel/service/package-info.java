/**
 * The gRPC services of {@code evenkeel.v1}, over the calls of {@code io.evenkeel.placement}.
 *
 * <p>Short calls are answered on the event loop that read them: a hop to another thread costs more than the answer. What is not short goes to {@code Workers}. Streams
 * are answered in order, one message at a time, and read on only as fast as the other side takes the answers.
 */
@NullMarked
package io.evenkeel.service;

import org.jspecify.annotations.NullMarked;

/**
 * The gRPC services of {@code evenkeel.v1}, over the calls of {@code io.evenkeel.placement}.
 *
 * <p>Short calls are answered on the event loop that read them: a hop to another thread costs more than the answer.
 * What is not short, to read or to answer, goes to a pool of its kind ({@code WorkerPools}), so that feeds and status
 * never wait for questions. {@code OpenCalls} bounds what callers make the server hold, and for how long. Streams are
 * answered in order, one message at a time, and read on only as fast as the other side takes the answers.
 */
@NullMarked
package io.evenkeel.service;

import org.jspecify.annotations.NullMarked;

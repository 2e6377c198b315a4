/**
 * The gRPC services of {@code evenkeel.v1}, over the calls of {@code io.evenkeel.placement}.
 *
 * <p>Short calls are answered on the event loop that read them: handing them to another thread costs more than the
 * answer. Calls that take long to read or to answer go to a pool for their kind ({@code WorkerPools}), so that feeds
 * and status calls never wait for questions. {@code OpenCalls} bounds what callers make the server hold, and for how
 * long. Streams are answered in order, one message at a time, and are read only as fast as the other side reads the
 * answers.
 */
@NullMarked
package io.evenkeel.service;

import org.jspecify.annotations.NullMarked;

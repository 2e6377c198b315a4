/**
 * The gRPC services of {@code evenkeel.v1}, on top of {@code io.evenkeel.placement}.
 *
 * <p>Short calls are answered on the event loop that reads them: handing them to another thread would cost more than
 * the answer. Calls that take long to read or to answer go to a pool for their kind ({@code WorkerPools}), so that
 * feeds and status calls never wait for queries. {@code OpenCalls} bounds how much and how long callers make the server
 * hold. Streams are answered in order, one message at a time, and are read only as fast as the client reads the
 * answers.
 */
@NullMarked
package io.evenkeel.service;

import org.jspecify.annotations.NullMarked;

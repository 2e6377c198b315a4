/**
 * The program {@code evenkeel}: its main class, and all commands about a cluster except {@code explain}, such as
 * {@code place}, {@code skew}, {@code rebalance} and {@code drain}. They ask a client, whether the cluster is in files,
 * behind an API server or in a running server.
 */
@NullMarked
package io.evenkeel.commands;

import org.jspecify.annotations.NullMarked;

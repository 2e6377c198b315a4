/**
 * The program {@code evenkeel}: its main class, and the commands that try out what would happen: {@code place},
 * {@code estimate}, {@code simulate} and {@code drain}. They ask a client, whether the cluster is in files, behind an
 * API server or in a running server.
 */
@NullMarked
package io.evenkeel.commands;

import org.jspecify.annotations.NullMarked;

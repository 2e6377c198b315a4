/**
 * Authentication and authorization. Callers send certificates and tokens, or connect through a socket.
 * {@link io.evenkeel.access.AccessRules} lists their rights; {@link io.evenkeel.access.AccessControl} checks their
 * calls. Files are reloaded when they change. If a changed file cannot be used, the previous version stays in use.
 */
@NullMarked
package io.evenkeel.access;

import org.jspecify.annotations.NullMarked;

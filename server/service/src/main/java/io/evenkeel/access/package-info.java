/**
 * Who may do what. Callers show certificates and tokens, or come through a socket;
 * {@link io.evenkeel.access.AccessRules} say which rights they have; {@link io.evenkeel.access.AccessControl} judges
 * calls. All files are read again when they change. A file that cannot be used then leaves in force what was read
 * before.
 */
@NullMarked
package io.evenkeel.access;

import org.jspecify.annotations.NullMarked;

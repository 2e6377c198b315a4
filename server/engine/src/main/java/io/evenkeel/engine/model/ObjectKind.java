package io.evenkeel.engine.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The kinds of objects that make up a cluster. A snapshot covers some or all of them. */
public enum ObjectKind {
    NODE,
    POD,
    SERVICE,
    REPLICATION_CONTROLLER,
    REPLICA_SET,
    STATEFUL_SET;

    public static final Set<ObjectKind> ALL = Collections.unmodifiableSet(EnumSet.allOf(ObjectKind.class));
}

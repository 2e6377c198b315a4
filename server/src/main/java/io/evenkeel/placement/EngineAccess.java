package io.evenkeel.placement;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.v1.Revision;

/** The engine as one instance of a server shows it: with an identity, and only when it is ready. Safe for use by several threads. */
final class EngineAccess {
    private final String instance;
    private final SpreadEngine engine;
    private final Readiness readiness;
    private final RevisionGate gate;

    EngineAccess(String instance, SpreadEngine engine, Readiness readiness, RevisionGate gate) {
        this.instance = instance;
        this.engine = engine;
        this.readiness = readiness;
        this.gate = gate;
    }

    String instance() {
        return instance;
    }

    SpreadEngine engine() {
        return engine;
    }

    Readiness readiness() {
        return readiness;
    }

    RevisionGate gate() {
        return gate;
    }

    Revision revision(long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    /** About how many nodes there are: node indexes are below. */
    int nodes() {
        return engine.nodeLimit();
    }

    void requireReady() {
        readiness.require();
    }

    void requireReached(Revision demanded) {
        gate.require(demanded);
    }
}

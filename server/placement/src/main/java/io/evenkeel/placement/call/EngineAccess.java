package io.evenkeel.placement.call;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.v1.Revision;

/**
 * The engine as one instance of a server shows it: with an identity, and only when it is ready. Safe for use by several
 * threads.
 */
public final class EngineAccess {
    private final String instance;
    private final SpreadEngine engine;
    private final Readiness readiness;
    private final RevisionGate gate;

    public EngineAccess(String instance, SpreadEngine engine, Readiness readiness, RevisionGate gate) {
        this.instance = instance;
        this.engine = engine;
        this.readiness = readiness;
        this.gate = gate;
    }

    public String instance() {
        return instance;
    }

    public SpreadEngine engine() {
        return engine;
    }

    public Readiness readiness() {
        return readiness;
    }

    public RevisionGate gate() {
        return gate;
    }

    public Revision revision(long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    /** About how many nodes there are: node indexes are below. */
    public int nodes() {
        return engine.nodeLimit();
    }

    public void requireReady() {
        readiness.require();
    }

    public void requireReached(Revision demanded) {
        gate.require(demanded);
    }
}

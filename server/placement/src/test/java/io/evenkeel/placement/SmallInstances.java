package io.evenkeel.placement;

import io.evenkeel.engine.script.SmallEngines;

/** Creates instances whose engines fill up quickly. */
public final class SmallInstances {
    private SmallInstances() {}

    /** An instance with room for this many node names. */
    public static Instance ofHosts(int hosts) {
        return new Instance(InstanceOptions.standard(), SmallEngines.ofHosts(hosts));
    }
}

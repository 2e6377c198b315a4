package io.evenkeel.placement;

import io.evenkeel.engine.SmallEngines;

/** Makes instances whose engines are soon full. */
public final class SmallInstances {
    private SmallInstances() {}

    /** For so many names of nodes. */
    public static Instance ofHosts(int hosts) {
        return new Instance(InstanceOptions.standard(), SmallEngines.ofHosts(hosts));
    }
}

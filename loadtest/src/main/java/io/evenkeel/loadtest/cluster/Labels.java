package io.evenkeel.loadtest.cluster;

/** The node labels of a generated cluster. Most of them are well-known Kubernetes labels. */
public final class Labels {
    public static final String HOSTNAME = "kubernetes.io/hostname";
    public static final String ZONE = "topology.kubernetes.io/zone";
    public static final String REGION = "topology.kubernetes.io/region";
    public static final String RACK = "example.com/rack";
    public static final String POOL = "example.com/pool";

    static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";
    static final String ARCH = "kubernetes.io/arch";
    static final String OS = "kubernetes.io/os";

    private Labels() {}
}

package io.evenkeel.engine.model;

/** Which of kube-scheduler's filters exclude candidates before the constraints do. */
public enum EntryRules {
    /** None. */
    NONE,
    /** NodeUnschedulable, TaintToleration and NodeAffinity. */
    ENTERABLE,
    /** Those, NodeName, NodePorts and NodeResourcesFit. */
    FITTING
}

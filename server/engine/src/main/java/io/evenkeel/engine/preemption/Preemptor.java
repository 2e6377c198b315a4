package io.evenkeel.engine.preemption;

/**
 * What decides which pods an incoming pod may preempt, in addition to its plan.
 *
 * @param never whether it may preempt no pod at all
 * @param nominatedNode the node on which it has preempted pods before; empty if there is none
 * @param respectsBudgets whether the engine has all disruption budgets; otherwise none of them is respected
 */
public record Preemptor(int priority, boolean never, String nominatedNode, boolean respectsBudgets) {}

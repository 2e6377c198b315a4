/**
 * The index and its answers: no protobuf, no gRPC, no Kubernetes client; the JDK and Agrona's collections only.
 *
 * <p>The vocabulary, once:
 *
 * <ul>
 *   <li><b>slot</b>: a node's index, dense, given out again after the node table's revision has moved.
 *   <li><b>host</b>: a node name, known or not: pods are bound to names, and may arrive before their node does.
 *   <li><b>label class</b>: a distinct (namespace, labels) set, shared by the pods that carry it.
 *   <li><b>selector</b>: a namespace and an effective label selector; each class knows which selectors match it.
 *   <li><b>topology</b>: a topology key with the domain of every slot. <i>Narrow</i> where domains are fewer than nodes
 *       (zones, racks), <i>wide</i> where nearly every node is a domain of its own (hostnames).
 *   <li><b>eligibility</b>: the nodes whose pods count for a constraint: all the topology keys of its set, node
 *       affinity and taints if honoured.
 *   <li><b>eligible domains</b>: how many eligible nodes each domain of a topology has.
 *   <li><b>spread group</b>: selector × topology × eligibility: a count for each domain, and the minimum, kept as pods
 *       and nodes come and go.
 *   <li><b>joint histogram</b>: how many nodes hold each pair of (zone-like domain, count by hostname): which scores
 *       there are, and the best, without a look at any node.
 *   <li><b>score cell</b>: nodes whose scores differ by their count by hostname alone.
 *   <li><b>plan</b>: an incoming pod compiled to spread groups, self matches and thresholds.
 * </ul>
 *
 * <p>The write path goes {@link io.evenkeel.engine.SpreadEngine} → {@code RevisionWriter} → {@code PodEvents} →
 * {@code SpreadIndex} → {@code SpreadGroup}; the read path {@code PodPlan} → {@code Evaluation} → {@code FilterPass} →
 * {@code ScorePass} → {@code BestPass} → {@link io.evenkeel.engine.answer.Answer}, or {@code BestByCounts} alone where
 * only the best are asked for.
 */
@NullMarked
package io.evenkeel.engine;

import org.jspecify.annotations.NullMarked;

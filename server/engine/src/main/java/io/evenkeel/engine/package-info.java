/**
 * The engine: the index of the cluster, and the answers from it. It uses only the JDK and Agrona's collections: no
 * protobuf, no gRPC, no Kubernetes client.
 *
 * <p>The terms:
 *
 * <ul>
 *   <li><b>slot</b>: the index of a node. Slots are dense. A slot means the same node as long as the revision of the
 *       node table stays the same.
 *   <li><b>host</b>: the name of a node, whether or not the node is known: pods are bound to names, and may arrive
 *       before their node.
 *   <li><b>template</b>: what an answer for a pod depends on in addition to its namespace and labels. The engine does
 *       not interpret it.
 *   <li><b>label class</b>: a distinct set of labels in a namespace, with a template, shared by the pods that have it.
 *   <li><b>selector</b>: the effective label selector of a constraint ({@code matchLabelKeys} are part of it) in a
 *       namespace; each label class knows the selectors that match it.
 *   <li><b>domain</b>: the nodes with the same value of a topology key, for example a zone.
 *   <li><b>topology</b>: a topology key with the domain of every slot. It is <i>narrow</i> if there are far fewer
 *       domains than nodes (zones, racks), and <i>wide</i> if nearly every node is its own domain (hostnames).
 *   <li><b>eligibility</b>: the nodes whose pods count for a constraint: those that have all its topology keys and meet
 *       node affinity and taints if these are honoured.
 *   <li><b>eligible domains</b>: the domains of a topology that have eligible nodes.
 *   <li><b>spread group</b>: the counts of the pods that a selector matches, for each eligible domain of a topology,
 *       and the global minimum, the least of these counts. Events keep it up to date.
 *   <li><b>self match</b>: 1 if the incoming pod matches the selector of the constraint, otherwise 0.
 *   <li><b>skew</b>: the count of a domain, plus the self match, minus the global minimum (or minus 0, if there are
 *       fewer eligible domains than {@code minDomains}). A hard constraint excludes the nodes of a domain whose skew
 *       would be above {@code maxSkew}.
 *   <li><b>joint histogram</b>: the number of nodes for each pair of a domain (zone) and a count by hostname. It shows
 *       which scores occur, and the best one, without looking at any node.
 *   <li><b>score cell</b>: a set of nodes whose scores differ only by their count by hostname.
 *   <li><b>plan</b>: an incoming pod compiled to spread groups and self matches.
 * </ul>
 *
 * <p>The write path goes {@link io.evenkeel.engine.SpreadEngine} → {@code RevisionWriter} → {@code PodEvents} →
 * {@code SpreadIndex} → {@code SpreadGroup}; the read path {@code PodPlan} → {@code PlanEvaluation} →
 * {@code FilterPass} → {@code ScorePass} → {@code BestPass} → {@link io.evenkeel.engine.answer.Answer}, or only
 * {@code BestByCounts} if only the best nodes are requested.
 */
@NullMarked
package io.evenkeel.engine;

import org.jspecify.annotations.NullMarked;

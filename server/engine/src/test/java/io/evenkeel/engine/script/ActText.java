package io.evenkeel.engine.script;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes an act as one readable line. Fields with default values are omitted. */
final class ActText {
    private ActText() {}

    static String of(Act act) {
        if (act instanceof Step.FromElsewhere elsewhere) {
            return "from elsewhere " + of(elsewhere.event());
        } else if (act instanceof Step.NodeEvent event) {
            return event.change() + " node " + node(event.node());
        } else if (act instanceof Step.PodEvent event) {
            return event.change() + " pod " + pod(event.pod());
        } else if (act instanceof Step.OwnerEvent event) {
            return event.change() + " " + owner(event.owner());
        } else if (act instanceof Step.Assume assume) {
            return "assume pod " + pod(assume.pod()) + " until " + assume.expiresAt();
        } else if (act instanceof ScriptedQuery.Placement query) {
            return "place " + incoming(query.pod()) + defaults(query)
                    + (query.candidates() == null ? "" : " among " + query.candidates()) + overlay(query);
        } else if (act instanceof ScriptedQuery.WhatIf query) {
            return "what if " + query.node() + " for " + incoming(query.pod()) + defaults(query) + overlay(query);
        }
        return act.toString();
    }

    private static String overlay(ScriptedQuery query) {
        List<String> without =
                query.overlay().without().stream().map(PodKey::toString).toList();
        List<String> added =
                query.overlay().added().stream().map(ActText::added).toList();
        return optional(" without ", without) + optional(" with ", added);
    }

    private static String added(Overlay.Added added) {
        return added instanceof Overlay.InFull inFull ? pod(inFull.pod()) : added.toString();
    }

    private static String node(NodeObject node) {
        List<String> taints = new ArrayList<>();
        node.taints().forEach(taint -> taints.add(taint.key() + "=" + taint.value() + ":" + taint.effect()));
        return node.name()
                + identity(node.uid(), node.resourceVersion())
                + labels(node.labels())
                + optional(" taints ", taints)
                + (node.unschedulable() ? " unschedulable" : "")
                + (node.allocatable() == null ? "" : " " + node.allocatable());
    }

    private static String pod(PodObject pod) {
        return pod.namespace() + "/" + pod.name() + identity(pod.uid(), pod.resourceVersion()) + labels(pod.labels())
                + (pod.nodeName().isEmpty() ? " unbound" : " on " + pod.nodeName())
                + (pod.terminating() ? " terminating" : "") + (pod.finished() ? " finished" : "")
                + " requests " + pod.requests();
    }

    private static String owner(OwnerObject owner) {
        return owner.kind() + " " + owner.namespace() + "/" + owner.name()
                + identity(owner.uid(), owner.resourceVersion()) + " selects " + selector(owner.selector());
    }

    private static String identity(String uid, long resourceVersion) {
        return " (" + uid + ", v" + Long.toUnsignedString(resourceVersion) + ")";
    }

    private static String incoming(IncomingPod pod) {
        StringBuilder text =
                new StringBuilder("a pod of ").append(pod.namespace()).append(labels(pod.labels()));
        if (!pod.nodeSelector().isEmpty()) {
            text.append(" nodeSelector").append(labels(pod.nodeSelector()));
        }
        List<NodeTerm> terms = pod.affinityTerms();
        if (terms != null) {
            text.append(" affinity ")
                    .append(terms.stream().map(ActText::term).collect(Collectors.joining(" or ", "(", ")")));
        }
        List<String> tolerations = new ArrayList<>();
        pod.tolerations()
                .forEach(toleration -> tolerations.add(toleration.key() + " " + toleration.operator() + " "
                        + toleration.value() + ":" + toleration.effect()));
        text.append(optional(" tolerates ", tolerations));
        text.append(optional(
                " spread ", pod.constraints().stream().map(ActText::constraint).toList()));
        if (pod.controller() != null) {
            text.append(" of ").append(pod.controller());
        }
        text.append(" requests ").append(pod.requests());
        if (!pod.nodeName().isEmpty()) {
            text.append(" nodeName ").append(pod.nodeName());
        }
        return text.toString();
    }

    private static String term(NodeTerm term) {
        List<String> parts = new ArrayList<>();
        term.matchExpressions()
                .forEach(part -> parts.add(part.key() + " " + part.operator() + " " + quoted(part.values())));
        term.matchFields()
                .forEach(
                        part -> parts.add("field " + part.key() + " " + part.operator() + " " + quoted(part.values())));
        return String.join(" and ", parts);
    }

    private static String constraint(SpreadConstraint constraint) {
        return (constraint.hard() ? "hard " : "soft ") + constraint.topologyKey() + " maxSkew " + constraint.maxSkew()
                + " of " + selector(constraint.selector()) + optional(" matchLabelKeys ", constraint.matchLabelKeys())
                + (constraint.minDomains() == 0 ? "" : " minDomains " + constraint.minDomains())
                + (constraint.honorAffinity() ? "" : " affinity ignored")
                + (constraint.honorTaints() ? " taints honored" : "");
    }

    private static String selector(@Nullable PodSelector selector) {
        if (selector == null) {
            return "none";
        }
        List<String> parts = new ArrayList<>();
        selector.requirements()
                .forEach(part -> parts.add(part.key() + " " + part.operator() + " " + quoted(part.values())));
        return "{" + String.join(", ", parts) + "}";
    }

    private static String defaults(ScriptedQuery query) {
        SpreadDefaults defaults = query.defaults();
        if (!query.pod().constraints().isEmpty() || defaults.equals(SpreadDefaults.NONE)) {
            return "";
        }
        String constraints = defaults.system()
                ? " by system defaults"
                : " by defaults "
                        + defaults.constraints().stream()
                                .map(ActText::constraint)
                                .toList();
        return constraints
                + (defaults.ownersSelector() == null ? "" : " of owners " + selector(defaults.ownersSelector()));
    }

    private static String quoted(List<String> values) {
        return values.stream().map(value -> "'" + value + "'").toList().toString();
    }

    private static String labels(Map<String, String> labels) {
        return " " + new TreeMap<>(labels);
    }

    private static String optional(String word, List<String> items) {
        return items.isEmpty() ? "" : word + items;
    }
}

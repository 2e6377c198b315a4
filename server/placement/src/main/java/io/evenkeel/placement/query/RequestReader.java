package io.evenkeel.placement.query;

import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.objects.DefaultConstraintsTranslator;
import io.evenkeel.objects.InvalidObjectException;
import io.evenkeel.objects.Quotes;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.NodeTableTokens;
import io.evenkeel.placement.call.ProfileDefaults;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.WorkloadReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and validates the parts that several requests have in common: candidates and default constraints. Paths in
 * errors are relative to the request. Thread-safe.
 */
public final class RequestReader {
    private final Limits limits;
    private final NodeSets nodeSets;
    private final NodeTableTokens tokens;
    private final ProfileDefaults profiles;

    public RequestReader(Limits limits, NodeSets nodeSets, NodeTableTokens tokens, ProfileDefaults profiles) {
        this.limits = limits;
        this.nodeSets = nodeSets;
        this.tokens = tokens;
        this.profiles = profiles;
    }

    /**
     * The nodes that a request asks about.
     *
     * @param field the path of the message in the request
     */
    public NodeSubset candidates(io.evenkeel.v1.Candidates message, String field) {
        return switch (message.getWhichCase()) {
            case ALL, WHICH_NOT_SET, ENTERABLE, FITTING -> NodeSubset.ALL;
            case NAMED -> {
                List<String> names = message.getNamed().getNamesList();
                checkNames(names, field + ".named.names");
                yield NodeSubset.named(names);
            }
            case NODE_SET_ID -> {
                NodeSubset set = nodeSets.find(message.getNodeSetId());
                if (set == null) {
                    throw RequestException.of(
                            ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN,
                            "node set " + Quotes.quoted(message.getNodeSetId()) + " is not registered (" + field
                                    + ".nodeSetId)");
                }
                yield set;
            }
            case BITS -> CandidateBits.read(message.getBits(), tokens, field);
        };
    }

    /**
     * The rules that these candidates must pass before the constraints.
     *
     * @param field the path of the message in the request
     */
    public static EntryRules rules(io.evenkeel.v1.Candidates message, String field) {
        EntryRules given = rules(message.getRulesValue(), field + ".rules");
        return switch (message.getWhichCase()) {
            case NAMED, NODE_SET_ID, BITS -> given;
            case ALL, WHICH_NOT_SET, ENTERABLE, FITTING -> {
                if (given != EntryRules.NONE) {
                    throw RequestException.invalid(
                            field + ".rules",
                            "must be unset unless named, nodeSetId or bits is set, was " + message.getRules());
                }
                yield switch (message.getWhichCase()) {
                    case ALL -> EntryRules.NONE;
                    case FITTING -> EntryRules.FITTING;
                    default -> EntryRules.ENTERABLE;
                };
            }
        };
    }

    /** Reads rules from their number in the protocol. */
    public static EntryRules rules(int number, String field) {
        return switch (number) {
            case io.evenkeel.v1.EntryRules.ENTRY_RULES_UNSPECIFIED_VALUE -> EntryRules.NONE;
            case io.evenkeel.v1.EntryRules.ENTRY_RULES_ENTERABLE_VALUE -> EntryRules.ENTERABLE;
            case io.evenkeel.v1.EntryRules.ENTRY_RULES_FITTING_VALUE -> EntryRules.FITTING;
            default ->
                throw RequestException.invalid(
                        field, "must be unset, ENTRY_RULES_ENTERABLE or ENTRY_RULES_FITTING, was " + number);
        };
    }

    /** Rejects too many names, and empty names. */
    public void checkNames(List<String> names, String field) {
        Limits.admit(names.size(), limits.names(), field);
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).isEmpty()) {
                throw RequestException.invalid(field + "[" + i + "]", "must not be empty");
            }
        }
    }

    /** Rejects too many workloads, and incomplete references. */
    public void checkWorkloads(List<WorkloadReference> workloads, String field) {
        Limits.admit(workloads.size(), limits.names(), field);
        for (int i = 0; i < workloads.size(); i++) {
            WorkloadReference workload = workloads.get(i);
            if (workload.getNamespace().isEmpty()
                    || workload.getKind().isEmpty()
                    || workload.getName().isEmpty()) {
                throw RequestException.invalid(field + "[" + i + "]", "must have namespace, kind and name");
            }
        }
    }

    /**
     * The default constraints of a request; null if the server's apply.
     *
     * @param field the path of the message in the request
     */
    public @Nullable SpreadDefaults ownDefaults(io.evenkeel.v1.DefaultConstraints message, String field) {
        return switch (message.getType()) {
            case TYPE_UNSPECIFIED -> {
                requireNoConstraints(message, field);
                if (message.hasOwnersSelector()) {
                    throw RequestException.invalid(field + ".ownersSelector", "must be unset unless type is set");
                }
                yield null;
            }
            case TYPE_SYSTEM -> {
                requireNoConstraints(message, field);
                yield withOwners(SpreadDefaults.SYSTEM, message, field);
            }
            case TYPE_LIST -> withOwners(list(message, field), message, field);
            case UNRECOGNIZED ->
                throw RequestException.invalid(
                        field + ".type",
                        "must be TYPE_UNSPECIFIED, TYPE_SYSTEM or TYPE_LIST, was " + message.getTypeValue());
        };
    }

    private static void requireNoConstraints(io.evenkeel.v1.DefaultConstraints message, String field) {
        if (message.getConstraintsCount() > 0) {
            throw RequestException.invalid(
                    field + ".constraints",
                    "must be empty unless type is TYPE_LIST, had " + message.getConstraintsCount() + " entries");
        }
    }

    private SpreadDefaults list(io.evenkeel.v1.DefaultConstraints message, String field) {
        try {
            return DefaultConstraintsTranslator.list(
                    message.getConstraintsList(), field + ".constraints", limits.pod());
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e.violations());
        }
    }

    private SpreadDefaults withOwners(
            SpreadDefaults defaults, io.evenkeel.v1.DefaultConstraints message, String field) {
        if (!message.hasOwnersSelector()) {
            return defaults;
        }
        try {
            return defaults.withOwnersSelector(DefaultConstraintsTranslator.ownersSelector(
                    message.getOwnersSelector(), field + ".ownersSelector", limits.pod()));
        } catch (InvalidObjectException e) {
            throw RequestException.invalid(e.violations());
        }
    }

    /** The server's default constraints for a pod. */
    public SpreadDefaults profileDefaults(io.evenkeel.v1.Pod pod) {
        return profiles.of(pod.getSpec().getSchedulerName());
    }
}

package io.evenkeel.objects;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.PodRequests;
import io.evenkeel.v1.Affinity;
import io.evenkeel.v1.PodAffinity;
import io.evenkeel.v1.PodAntiAffinity;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.Volume;
import io.evenkeel.v1.VolumeSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds the unjudged rules that a pod calls for, as a set of {@link UnjudgedRule}s: bit <i>n</i> is the rule with the
 * number <i>n</i>.
 *
 * <pre>
 *   field of PodSpec     rule
 *   volumes              VOLUMES, if the source is a claim, or a disk that can be attached to few nodes
 *   affinity             POD_AFFINITY and POD_ANTI_AFFINITY, if there are required terms
 *   schedulingGates      SCHEDULING_GATES
 *   resourceClaims       DYNAMIC_RESOURCES
 * </pre>
 */
public final class UnjudgedRules {
    private static final int VOLUMES = WireCursor.delimited(PodSpec.VOLUMES_FIELD_NUMBER);
    private static final int AFFINITY = WireCursor.delimited(PodSpec.AFFINITY_FIELD_NUMBER);
    private static final int GATES = WireCursor.delimited(PodSpec.SCHEDULING_GATES_FIELD_NUMBER);
    private static final int CLAIMS = WireCursor.delimited(PodSpec.RESOURCE_CLAIMS_FIELD_NUMBER);
    private static final int VOLUME_SOURCE = WireCursor.delimited(Volume.VOLUME_SOURCE_FIELD_NUMBER);
    private static final int POD_AFFINITY = WireCursor.delimited(Affinity.POD_AFFINITY_FIELD_NUMBER);
    private static final int POD_ANTI_AFFINITY = WireCursor.delimited(Affinity.POD_ANTI_AFFINITY_FIELD_NUMBER);
    private static final int REQUIRED =
            WireCursor.delimited(PodAffinity.REQUIRED_DURING_SCHEDULING_IGNORED_DURING_EXECUTION_FIELD_NUMBER);

    /** kube-scheduler's prefix of the extended resource that each device class has without naming one. */
    private static final String IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/";

    private UnjudgedRules() {}

    /** The rule as a set. */
    public static int bit(UnjudgedRule rule) {
        return 1 << rule.getNumber();
    }

    /** The rules of a set, in the order of their numbers. */
    public static List<UnjudgedRule> list(int rules) {
        return rules == 0
                ? List.of()
                : Arrays.stream(UnjudgedRule.values())
                        .filter(rule -> rule != UnjudgedRule.UNRECOGNIZED && (rules & bit(rule)) != 0)
                        .toList();
    }

    /** The different names of the rules, in the order of their numbers. */
    public static List<String> names(int rules) {
        return names(list(rules).stream());
    }

    /** The different names of these rules, in the order of their numbers. */
    public static List<String> names(Stream<UnjudgedRule> rules) {
        return rules.sorted().map(UnjudgedRules::name).distinct().toList();
    }

    /** What a rule is called. Rules about affinity between pods have one name. */
    public static String name(UnjudgedRule rule) {
        return switch (rule) {
            case UNJUDGED_RULE_VOLUMES -> "volumes";
            case UNJUDGED_RULE_POD_AFFINITY, UNJUDGED_RULE_POD_ANTI_AFFINITY, UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS ->
                "inter-pod affinity";
            case UNJUDGED_RULE_DYNAMIC_RESOURCES -> "dynamic resources";
            case UNJUDGED_RULE_SCHEDULING_GATES -> "scheduling gates";
            case UNJUDGED_RULE_UNSPECIFIED, UNRECOGNIZED -> "a rule of a newer server";
        };
    }

    /** The rules that a pod's fields call for. */
    public static int of(PodSpec spec) {
        byte[] bytes = spec.toByteArray();
        WireCursor wire = new WireCursor(bytes, 0, bytes.length);
        int rules = 0;
        try {
            for (int start = 0; wire.next(); start = wire.position()) {
                wire.skip();
                rules |= of(bytes, start, wire.position());
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
        return rules;
    }

    /** Adds to a pod what calls for these rules: fields that say no more than that. */
    static void add(int rules, PodSpec.Builder to) {
        for (UnjudgedRule rule : list(rules)) {
            switch (rule) {
                case UNJUDGED_RULE_VOLUMES ->
                    to.addVolumesBuilder().getVolumeSourceBuilder().getPersistentVolumeClaimBuilder();
                case UNJUDGED_RULE_POD_AFFINITY ->
                    to.getAffinityBuilder()
                            .getPodAffinityBuilder()
                            .addRequiredDuringSchedulingIgnoredDuringExecutionBuilder();
                case UNJUDGED_RULE_POD_ANTI_AFFINITY ->
                    to.getAffinityBuilder()
                            .getPodAntiAffinityBuilder()
                            .addRequiredDuringSchedulingIgnoredDuringExecutionBuilder();
                case UNJUDGED_RULE_SCHEDULING_GATES -> to.addSchedulingGatesBuilder();
                case UNJUDGED_RULE_DYNAMIC_RESOURCES -> to.addResourceClaimsBuilder();
                case UNJUDGED_RULE_ANTI_AFFINITY_OF_OTHERS, UNJUDGED_RULE_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException(rule + " is not due to a field");
            }
        }
    }

    /** The rules that a pod's requests call for. */
    public static int of(PodRequests asked) {
        for (PodRequests.Amount amount : asked.amounts()) {
            if (amount.resource().startsWith(IMPLICIT_RESOURCE)) {
                return bit(UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES);
            }
        }
        return 0;
    }

    /** The rules that one field of PodSpec calls for, given with its tag. */
    static int of(byte[] bytes, int from, int to) throws InvalidProtocolBufferException {
        WireCursor wire = new WireCursor(bytes, from, to);
        wire.next();
        int tag = wire.tag();
        if (tag == VOLUMES) {
            return ofVolume(wire);
        }
        if (tag == AFFINITY) {
            return ofAffinity(wire);
        }
        return tag == GATES
                ? bit(UnjudgedRule.UNJUDGED_RULE_SCHEDULING_GATES)
                : tag == CLAIMS ? bit(UnjudgedRule.UNJUDGED_RULE_DYNAMIC_RESOURCES) : 0;
    }

    private static int ofVolume(WireCursor wire) throws InvalidProtocolBufferException {
        boolean restricts = false;
        wire.enter();
        while (wire.next()) {
            if (wire.tag() == VOLUME_SOURCE) {
                int outer = wire.enter();
                while (wire.next()) {
                    restricts |= isSourceThatRestricts(wire.field());
                    wire.skip();
                }
                wire.leave(outer);
            } else {
                restricts |= wire.field() >= Volume.PERSISTENT_VOLUME_CLAIM_FIELD_NUMBER
                        && wire.field() <= Volume.RBD_FIELD_NUMBER;
                wire.skip();
            }
        }
        return restricts ? bit(UnjudgedRule.UNJUDGED_RULE_VOLUMES) : 0;
    }

    private static boolean isSourceThatRestricts(int field) {
        return switch (field) {
            case VolumeSource.PERSISTENT_VOLUME_CLAIM_FIELD_NUMBER,
                    VolumeSource.EPHEMERAL_FIELD_NUMBER,
                    VolumeSource.GCE_PERSISTENT_DISK_FIELD_NUMBER,
                    VolumeSource.AWS_ELASTIC_BLOCK_STORE_FIELD_NUMBER,
                    VolumeSource.ISCSI_FIELD_NUMBER,
                    VolumeSource.RBD_FIELD_NUMBER -> true;
            default -> false;
        };
    }

    private static int ofAffinity(WireCursor wire) throws InvalidProtocolBufferException {
        int rules = 0;
        wire.enter();
        while (wire.next()) {
            int tag = wire.tag();
            if (tag == POD_AFFINITY) {
                rules |= hasRequired(wire) ? bit(UnjudgedRule.UNJUDGED_RULE_POD_AFFINITY) : 0;
            } else if (tag == POD_ANTI_AFFINITY) {
                rules |= hasRequired(wire) ? bit(UnjudgedRule.UNJUDGED_RULE_POD_ANTI_AFFINITY) : 0;
            } else {
                wire.skip();
            }
        }
        return rules;
    }

    /** Reads a {@link PodAffinity} or {@link PodAntiAffinity}, whose terms have the same number. */
    private static boolean hasRequired(WireCursor wire) throws InvalidProtocolBufferException {
        boolean has = false;
        int outer = wire.enter();
        while (wire.next()) {
            has |= wire.tag() == REQUIRED;
            wire.skip();
        }
        wire.leave(outer);
        return has;
    }
}

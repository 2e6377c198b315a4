package io.evenkeel.console;

import io.evenkeel.client.CandidateNodes;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.WorkloadReference;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.util.Fields;

/** Reads requests from the query parameters of a URL. Each parameter may occur once, and unknown ones are rejected. */
final class Questions {
    /** Enough for a screen. A page of this size has at most a few hundred KiB. */
    private static final int MAX_WORKLOADS = 200;

    private static final int MAX_DOMAINS = 100;
    private static final int MAX_NODES = 20;

    private static final String NAMESPACE = "namespace";
    private static final String WORKLOAD = "workload";
    private static final String VIOLATED = "violated";
    private static final String PAGE = "page";
    private static final String POD = "pod";

    private Questions() {}

    /** A parameter is invalid. */
    static final class InvalidParameterException extends Exception {
        private static final long serialVersionUID = 1;

        private final String parameter;

        InvalidParameterException(String rule, String value, String parameter) {
            super(rule + ", was '" + value + "' (" + parameter + ")");
            this.parameter = parameter;
        }

        String parameter() {
            return parameter;
        }
    }

    /** The workloads of all namespaces, or of one, or one workload with its domains. */
    static ListSpreadRequest spread(Fields parameters) throws InvalidParameterException {
        check(parameters, Set.of(NAMESPACE, WORKLOAD, VIOLATED, PAGE));
        String namespace = value(parameters, NAMESPACE);
        String workload = value(parameters, WORKLOAD);
        String violated = value(parameters, VIOLATED);
        if (!violated.isEmpty() && !"true".equals(violated) && !"false".equals(violated)) {
            throw new InvalidParameterException("violated must be true or false", violated, VIOLATED);
        }
        ListSpreadRequest.Builder request = ListSpreadRequest.newBuilder()
                .setViolatedOnly(Boolean.parseBoolean(violated))
                .setPageSize(MAX_WORKLOADS)
                .setPageToken(value(parameters, PAGE));
        if (!workload.isEmpty()) {
            List<String> parts = List.of(workload.split("/", -1));
            if (parts.size() != 3 || parts.contains("")) {
                throw new InvalidParameterException("workload must be NAMESPACE/KIND/NAME", workload, WORKLOAD);
            }
            return request.addWorkloads(WorkloadReference.newBuilder()
                            .setNamespace(parts.get(0))
                            .setKind(parts.get(1))
                            .setName(parts.get(2)))
                    .setIncludeDomains(true)
                    .build();
        }
        return namespace.isEmpty()
                ? request.build()
                : request.addNamespaces(namespace).build();
    }

    /** Why a pod is pending. */
    static ExplainRequest explain(Fields parameters) throws InvalidParameterException {
        check(parameters, Set.of(POD));
        String pod = value(parameters, POD);
        List<String> parts = List.of(pod.split("/", -1));
        if (parts.size() != 2 || parts.contains("")) {
            throw new InvalidParameterException("pod must be NAMESPACE/NAME", pod, POD);
        }
        return ExplainRequest.newBuilder()
                .setPodReference(
                        PodReference.newBuilder().setNamespace(parts.get(0)).setName(parts.get(1)))
                .setCandidates(CandidateNodes.fitting())
                .setMaxDomains(MAX_DOMAINS)
                .setMaxVerdicts(MAX_NODES)
                .build();
    }

    private static void check(Fields parameters, Set<String> known) throws InvalidParameterException {
        for (Fields.Field each : parameters) {
            if (!known.contains(each.getName())) {
                throw new InvalidParameterException(
                        "the parameter must be one of "
                                + String.join(", ", known.stream().sorted().toList()),
                        each.getName(),
                        each.getName());
            }
            if (each.hasMultipleValues()) {
                throw new InvalidParameterException(
                        each.getName() + " must be given once", String.join(", ", each.getValues()), each.getName());
            }
        }
    }

    private static String value(Fields parameters, String name) {
        String value = parameters.getValue(name);
        return value == null ? "" : value;
    }
}

package io.evenkeel.commands;

import io.evenkeel.cli.AskedCluster;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.WorkloadReference;
import io.evenkeel.v1.WorkloadSpread;
import java.util.ArrayList;
import java.util.List;

/** Finds the workloads that a command's parameters name. */
final class NamedWorkloads {
    private NamedWorkloads() {}

    /**
     * The workloads of a namespace with certain names.
     *
     * @param names each as KIND/NAME, in upper or lower case
     */
    static List<WorkloadReference> find(AskedCluster cluster, List<String> names, String namespace)
            throws CommandFailure {
        List<WorkloadSpread> there =
                list(cluster, ListSpreadRequest.newBuilder().addNamespaces(namespace));
        List<WorkloadReference> found = new ArrayList<>();
        for (String name : names) {
            List<WorkloadReference> called = there.stream()
                    .map(WorkloadSpread::getWorkload)
                    .filter(each -> name.equalsIgnoreCase(each.getKind() + "/" + each.getName()))
                    .toList();
            if (called.isEmpty()) {
                throw new CommandFailure(Paragraphs.printable(
                        "namespace " + namespace + " has no workload " + name + " with several pods or constraints"));
            }
            found.addAll(called);
        }
        return found;
    }

    /** All pages of a list. */
    static List<WorkloadSpread> list(AskedCluster cluster, ListSpreadRequest.Builder request) throws CommandFailure {
        List<WorkloadSpread> workloads = new ArrayList<>();
        try {
            do {
                ListSpreadResponse page = cluster.client().listSpread(request.build());
                workloads.addAll(page.getWorkloadsList());
                request.setPageToken(page.getNextPageToken());
            } while (!request.getPageToken().isEmpty());
        } catch (PlacementException e) {
            throw failure(cluster, e, request.getNamespacesCount() == 0 ? "" : request.getNamespaces(0));
        }
        return workloads;
    }

    /** The failure of a command whose call failed, perhaps because a namespace has no pods. */
    static CommandFailure failure(AskedCluster cluster, PlacementException error, String namespace) {
        return error.violations().stream()
                        .anyMatch(violation -> violation.getField().equals("namespaces[0]"))
                ? new CommandFailure(Paragraphs.printable(
                        "namespace " + namespace + " has no pods: name another with -n, or select all with -A"))
                : cluster.failure(error);
    }
}

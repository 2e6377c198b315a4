package io.evenkeel.commands;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name the namespace of the pods in question. */
final class NamespaceOptions {
    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "The namespace of pods that name none, and of those that are read from the cluster (default:"
                    + " default; with --kube, that of the context).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Read the pods in question from all namespaces.")
    private boolean all;

    NamespaceOptions() {}

    /**
     * Rejects options that cannot be combined.
     *
     * @param listing the option that needs the pods of the cluster; null if none does
     */
    void check(ClusterQuestion question, @Nullable String listing) {
        if (listing != null && question.asksServer()) {
            throw question.wrongUsage(listing + " needs --cluster or --kube: a server does not list its pods");
        }
        if (all && (listing == null || namespace != null)) {
            throw question.wrongUsage("-A needs pods of the cluster, and cannot be combined with -n");
        }
    }

    /** The namespace that was given; null if there was none. */
    @Nullable
    String given() {
        return namespace;
    }

    /** The namespace of pods that name none. */
    String ofPods(ClusterQuestion question) {
        return Objects.requireNonNullElse(namespace, question.defaultNamespace());
    }

    /** The namespace of the pods in question; null for all. */
    @Nullable
    String inQuestion(ClusterQuestion question) {
        return all ? null : ofPods(question);
    }
}

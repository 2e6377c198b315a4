package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * The progress of a Deployment's rollout, from its ReplicaSets and pods.
 *
 * @param replicas the desired number of pods
 * @param replicaSets the number of its ReplicaSets, one for each revision
 * @param podTemplateHash the label of the pods of its newest template; empty if the template has no ReplicaSet yet
 * @param ready the number of these pods that are ready
 * @param others the number of its other pods, including old ones
 * @param waits the scheduler's message about one of its unbound pods; empty if all are bound
 */
record RolloutProgress(
        String deployment, int replicas, int replicaSets, String podTemplateHash, int ready, int others, String waits) {
    /** The annotation that distinguishes its templates. */
    static final String REVISION = "revision";

    private static final String NAMESPACE = "/metadata/namespace";
    private static final String APP = "/metadata/labels/app";
    private static final String HASH = "/metadata/labels/pod-template-hash";

    /**
     * Counts a Deployment's ReplicaSets and pods.
     *
     * @param replicaSets the ReplicaSets of all Deployments
     * @param pods the pods of all Deployments
     */
    static RolloutProgress of(JsonNode deployment, JsonNode replicaSets, JsonNode pods) {
        String uid = deployment.at("/metadata/uid").asText();
        int sets = 0;
        String hash = "";
        for (JsonNode set : replicaSets) {
            if (set.at("/metadata/ownerReferences/0/uid").asText().equals(uid)) {
                sets++;
                if (revision(set).equals(revision(deployment))) {
                    hash = set.at(HASH).asText();
                }
            }
        }
        int ready = 0;
        int others = 0;
        String waits = "";
        for (JsonNode pod : pods) {
            if (belongs(pod, deployment)) {
                if (pod.at(HASH).asText().equals(hash) && isReady(pod)) {
                    ready++;
                } else {
                    others++;
                    waits = waits.isEmpty()
                            ? condition(pod, "PodScheduled", "False")
                                    .path("message")
                                    .asText()
                            : waits;
                }
            }
        }
        String name = deployment.at(NAMESPACE).asText()
                + '/'
                + deployment.at("/metadata/name").asText();
        return new RolloutProgress(name, deployment.at("/spec/replicas").asInt(), sets, hash, ready, others, waits);
    }

    /** Whether all replicas are ready and have the newest template, and no other pod is left. */
    boolean isComplete() {
        return ready == replicas && others == 0;
    }

    private static String revision(JsonNode withTemplate) {
        return withTemplate
                .at("/spec/template/metadata/annotations/" + REVISION)
                .asText();
    }

    private static boolean belongs(JsonNode pod, JsonNode deployment) {
        return pod.at(NAMESPACE).equals(deployment.at(NAMESPACE)) && pod.at(APP).equals(deployment.at(APP));
    }

    private static boolean isReady(JsonNode pod) {
        return !condition(pod, "Ready", "True").isMissingNode()
                && !pod.path("metadata").has("deletionTimestamp");
    }

    private static JsonNode condition(JsonNode pod, String type, String status) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)
                    && condition.path("status").asText().equals(status)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }
}

package io.evenkeel.lab.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * How far a Deployment is, as its ReplicaSets and its pods show it.
 *
 * @param replicas how many pods it asks for
 * @param replicaSets how many it has, one for each revision
 * @param podTemplateHash the label that the pods of its newest template carry; empty where these have no ReplicaSet yet
 * @param ready how many of these pods are ready
 * @param others how many other pods it has, old ones among them
 * @param waits what the scheduler says of one of its pods that has no node; empty where all have one
 */
record Rollout(
        String deployment, int replicas, int replicaSets, String podTemplateHash, int ready, int others, String waits) {
    /** The annotation that tells its templates apart. */
    static final String REVISION = "revision";

    private static final String NAMESPACE = "/metadata/namespace";
    private static final String APP = "/metadata/labels/app";
    private static final String HASH = "/metadata/labels/pod-template-hash";

    /**
     * Counts what belongs to a Deployment.
     *
     * @param replicaSets those of all Deployments
     * @param pods those of all Deployments
     */
    static Rollout of(JsonNode deployment, JsonNode replicaSets, JsonNode pods) {
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
        return new Rollout(name, deployment.at("/spec/replicas").asInt(), sets, hash, ready, others, waits);
    }

    /** Whether all replicas are ready and of the newest template, and no other pod is left. */
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

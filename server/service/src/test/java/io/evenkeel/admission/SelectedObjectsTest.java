package io.evenkeel.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Checks for which objects an API server evaluates the policy, and calls the webhook of the Helm chart. */
final class SelectedObjectsTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final Set<String> KINDS_WITH_PODS = Set.of(
            "apps/daemonsets",
            "apps/deployments",
            "apps/replicasets",
            "apps/statefulsets",
            "batch/cronjobs",
            "batch/jobs",
            "/pods",
            "/replicationcontrollers");

    private final JsonNode policy = object(Path.of("../deploy/admission-policy.yaml"), "ValidatingAdmissionPolicy")
            .path("spec");
    private final JsonNode webhook = object(
                    Path.of("chart/testdata/objects/everything.yaml"), "ValidatingWebhookConfiguration")
            .path("webhooks")
            .path(0);

    SelectedObjectsTest() throws IOException {}

    private static JsonNode object(Path file, String kind) throws IOException {
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(Files.readString(file))) {
            JsonNode object = MAPPER.valueToTree(document);
            if (object.path("kind").asText().equals(kind)) {
                return object;
            }
        }
        throw new AssertionError(file + " has no " + kind);
    }

    private static Set<String> resources(JsonNode rules) {
        Set<String> found = new TreeSet<>();
        for (JsonNode rule : rules) {
            assertEquals("[\"CREATE\",\"UPDATE\"]", rule.path("operations").toString());
            for (JsonNode resource : rule.path("resources")) {
                found.add(rule.path("apiGroups").path(0).asText() + "/" + resource.asText());
            }
        }
        return found;
    }

    @Test
    void allKindsWithPods_areSelected() {
        assertEquals(KINDS_WITH_PODS, resources(policy.path("matchConstraints").path("resourceRules")));
        assertEquals(KINDS_WITH_PODS, resources(webhook.path("rules")));
    }

    @Test
    void bothSelectTheSameObjects() {
        assertEquals(policy.required("matchConditions"), webhook.required("matchConditions"));
        assertEquals(
                policy.required("matchConstraints").required("namespaceSelector"),
                webhook.required("namespaceSelector"));
    }

    @Test
    void messages_areNoLongerThanTheWarningsOfTheWebhook() {
        for (JsonNode validation : policy.required("validations")) {
            String message = validation.required("message").asText();
            assertTrue(message.length() <= 120, message);
        }
    }

    @Test
    void objects_areNeverDenied() throws IOException {
        assertEquals("Ignore", policy.path("failurePolicy").asText());
        assertEquals("Ignore", webhook.path("failurePolicy").asText());
        assertEquals(
                "[\"Warn\"]",
                object(Path.of("../deploy/admission-policy.yaml"), "ValidatingAdmissionPolicyBinding")
                        .path("spec")
                        .path("validationActions")
                        .toString());
    }
}

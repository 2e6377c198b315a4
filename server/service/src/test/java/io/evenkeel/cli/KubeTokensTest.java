package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.access.TokenReviewer.Reviewed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class KubeTokensTest {
    private static Reviewed review(String answer) throws IOException, InterruptedException {
        return new KubeTokens(review -> answer.getBytes(StandardCharsets.UTF_8), "evenkeel").review("secret");
    }

    @Test
    void user_andGroups_areThoseOfTheAnswer() throws Exception {
        List<String> asked = new ArrayList<>();
        KubeTokens tokens = new KubeTokens(
                review -> {
                    asked.add(new String(review, StandardCharsets.UTF_8));
                    return """
                    {"kind": "TokenReview", "metadata": {"labels": {"status": {"a": []}}}, "spec": {"token": "secret"},
                     "status": {"authenticated": true, "user": {"username": "system:serviceaccount:shop:web",
                        "uid": "1", "groups": ["system:serviceaccounts", "system:authenticated"],
                        "extra": {"groups": ["system:masters"]}}, "audiences": ["other", "evenkeel"]}}
                    """.getBytes(StandardCharsets.UTF_8);
                },
                "evenkeel");
        assertEquals(
                new Reviewed(
                        "system:serviceaccount:shop:web", List.of("system:serviceaccounts", "system:authenticated")),
                tokens.review("sec\"ret"));
        assertEquals(
                List.of("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\",\"spec\":{\"token\":"
                        + "\"sec\\\"ret\",\"audiences\":[\"evenkeel\"]}}"),
                asked);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"status\": {}}",
                "{\"status\": {\"authenticated\": false, \"error\": \"invalid bearer token\"}}",
                "{\"status\": {\"authenticated\": true, \"user\": {\"username\": \"u\"}}}",
                "{\"status\": {\"authenticated\": true, \"user\": {\"username\": \"u\"}, \"audiences\": [\"other\"]}}",
                "{\"status\": {\"authenticated\": \"true\", \"user\": {\"username\": \"u\"}, \"audiences\": [\"evenkeel\"]}}",
                "{\"status\": {\"authenticated\": true, \"user\": {\"username\": \"\"}, \"audiences\": [\"evenkeel\"]}}",
                "{\"status\": {\"user\": {\"username\": \"u\"}, \"audiences\": [\"evenkeel\"]}}",
                "{\"spec\": {\"status\": {\"authenticated\": true}}, \"status\": null}"
            })
    void tokenOfNoOne_orForSomeoneElse_isNoOnes(String answer) throws Exception {
        assertEquals(new Reviewed(null, List.of()), review(answer));
    }

    @Test
    void answerThatIsNoReview_isAFailure() {
        assertThrows(IOException.class, () -> review("[]"));
        assertThrows(IOException.class, () -> review("{\"status\": {"));
        assertThrows(IOException.class, () -> review(""));
    }
}

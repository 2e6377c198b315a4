package io.evenkeel.access;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks Kubernetes whose a token is. Must be safe for use by several threads. */
public interface TokenReviewer {
    /**
     * Whose the token is.
     *
     * @throws IOException where that cannot be learned now
     */
    Reviewed review(String token) throws IOException, InterruptedException;

    /**
     * What Kubernetes says of a token.
     *
     * @param user null where the token is nobody's, or not for this server
     */
    record Reviewed(@Nullable String user, List<String> groups) {
        public Reviewed {
            groups = List.copyOf(groups);
        }
    }
}

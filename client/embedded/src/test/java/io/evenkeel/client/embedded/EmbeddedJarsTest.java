package io.evenkeel.client.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.client.JarList;
import java.io.IOException;
import java.util.List;
import java.util.NavigableSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class EmbeddedJarsTest {
    /** Includes the client itself. */
    private static final int MAX_JARS = 10;

    private static final Pattern UNWANTED =
            Pattern.compile("grpc-.*|evenkeel-grpc|netty.*|picocli|jackson.*|snakeyaml|.*prometheus.*|micrometer.*");

    @Test
    void embeddedClient_bringsFewJars_andNoneThatCarriesReadsTextOrMeasures() throws IOException {
        NavigableSet<String> jars = JarList.resolved();
        assertTrue(jars.contains("evenkeel-engine"), jars::toString);
        assertTrue(jars.size() + 1 <= MAX_JARS, jars::toString);
        assertEquals(
                List.of(), jars.stream().filter(UNWANTED.asMatchPredicate()).toList());
    }

    @Test
    void readme_namesTheJars() throws IOException {
        assertEquals(JarList.resolved(), JarList.inReadme("evenkeel-client-embedded"));
    }
}

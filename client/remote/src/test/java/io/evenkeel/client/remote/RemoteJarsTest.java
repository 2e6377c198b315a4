package io.evenkeel.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.client.JarList;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RemoteJarsTest {
    private static final Set<String> SERVER =
            Set.of("evenkeel-engine", "evenkeel-placement", "evenkeel-server", "agrona");

    @Test
    void remoteClient_bringsNoEngine() throws IOException {
        assertEquals(
                List.of(), JarList.resolved().stream().filter(SERVER::contains).toList());
    }

    @Test
    void readme_namesTheJars() throws IOException {
        assertEquals(JarList.resolved(), JarList.inReadme("evenkeel-client-remote"));
    }
}

package io.evenkeel.kube.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests unusual kubeconfigs. */
final class ConfigurationSourceTest {
    @TempDir
    private Path directory = Path.of("");

    private Path kubeconfig(String cluster, String user) throws IOException {
        return Files.writeString(directory.resolve("config"), """
                current-context: c
                contexts: [{name: c, context: {cluster: k, user: u}}]
                clusters: [{name: k, cluster: {%s}}]
                users: [{name: u, user: {%s}}]
                """.formatted(cluster, user));
    }

    private static Config read(Path kubeconfig) throws ConfigurationException {
        return new ConfigurationSource(kubeconfig, null).read(token -> () -> token);
    }

    private static String refusal(Path kubeconfig) {
        String message = assertThrows(
                        ConfigurationException.class,
                        () -> ClusterAccess.of(kubeconfig, null).open().close())
                .getMessage();
        return String.valueOf(message).replace(kubeconfig.toString(), "FILE");
    }

    @Test
    void serverWithoutScheme_isOneWithTls_andIsNotConnectedTo() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(1);
            String address = "127.0.0.1:" + server.getLocalPort();
            Config config = read(kubeconfig("server: '" + address + "'", "token: secret"));
            assertEquals("https://" + address + "/", config.getMasterUrl());
            assertThrows(SocketTimeoutException.class, server::accept);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://me:hidden@p.example, http://me:hidden@p.example:80",
        "https://p.example/, https://p.example:443",
        "socks5://[::1], socks5://[::1]:1080",
        "http://p.example:3128, http://p.example:3128",
    })
    void proxyWithoutPort_hasTheDefaultOfItsScheme(String proxy, String expected) throws IOException {
        Path kubeconfig = kubeconfig("server: 'https://k.example', proxy-url: '" + proxy + "'", "token: secret");
        assertEquals(expected, read(kubeconfig).getHttpsProxy());
        ClusterAccess.of(kubeconfig, null).open().close();
    }

    @Test
    void refusal_isNotAboutTypesOfTheProgram() throws IOException {
        String server = "server: 'https://k.example'";
        assertEquals(
                "failed to load the certificates of FILE: Incomplete data",
                refusal(kubeconfig(
                        server, "client-certificate-data: LS0tLS1CRUdJTg==, client-key-data: LS0tLS1CRUdJTg==")));
        assertEquals(
                "failed to use FILE: Failure in creating proxy URL. Proxy port is required!",
                refusal(kubeconfig(server + ", proxy-url: 'http://p.example:x'", "")));
        Path text = directory.resolve("text");
        assertEquals("failed to read FILE: it is not a kubeconfig", refusal(Files.writeString(text, "contexts: here")));
        assertEquals(
                "failed to read FILE: it is not UTF-8",
                refusal(Files.write(text, "contexts: []\u00e9".getBytes(StandardCharsets.ISO_8859_1))));
    }
}

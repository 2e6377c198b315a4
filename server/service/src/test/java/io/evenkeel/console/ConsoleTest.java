package io.evenkeel.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.cli.ForkedJava;
import io.evenkeel.commands.Evenkeel;
import io.evenkeel.operations.HttpServer;
import io.grpc.inprocess.InProcessChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code serve --console} in a separate process, and opens its page in Chromium. */
@Timeout(90)
final class ConsoleTest {
    private static final String POD = "shop/stuck-zone-89f4fcf4d-rb6g2";
    private static final String TOKEN = "token-of-tests-0123456789";

    /** The name of a workload that would run if the page took it for HTML. */
    private static final String HOSTILE = "<img src=x onerror=window.hacked=1>";

    /** {@code -Devenkeel.screenshots=DIRECTORY} writes the pictures of the documentation, without that name. */
    private static final @Nullable String SCREENSHOTS = System.getProperty("evenkeel.screenshots");

    private static final String NAME = SCREENSHOTS == null ? HOSTILE : "train";

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private Process process;

    @SuppressWarnings("NullAway.Init")
    private String address;

    @BeforeEach
    void serve() throws IOException {
        String cluster;
        try (InputStream file =
                new GZIPInputStream(Objects.requireNonNull(getClass().getResourceAsStream("/real/cluster.json.gz")))) {
            cluster = new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
        Path changed = Files.writeString(
                directory.resolve("cluster.json"), cluster.replace("train-875df5f86", NAME + "-875df5f86"));
        List<String> arguments = new ArrayList<>(
                List.of("serve", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--warm-up", "0", "--cluster"));
        arguments.add(changed.toString());
        arguments.add("--tokens");
        arguments.add(Files.writeString(directory.resolve("tokens"), "reader " + TOKEN)
                .toString());
        process = ForkedJava.of(List.of("-Xmx256m"), Evenkeel.class, arguments).start();
        BufferedReader log = process.errorReader();
        String line = "";
        while (!line.contains(" console at ")) {
            line = Objects.requireNonNull(log.readLine());
        }
        address = line.substring(line.indexOf("http://"));
    }

    @AfterEach
    void stop() {
        process.destroyForcibly();
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> known(String path) throws IOException, InterruptedException {
        return get(path, "Authorization", "Bearer " + TOKEN);
    }

    @Test
    void questions_needTheRightsOfCalls_butThePageDoesNot() throws Exception {
        HttpResponse<String> page = get("");
        assertEquals(200, page.statusCode());
        assertTrue(
                page.headers().firstValue("Content-Security-Policy").orElse("").startsWith("default-src 'none'"));
        assertEquals(
                "nosniff", page.headers().firstValue("X-Content-Type-Options").orElse(""));
        assertTrue(page.headers().firstValue("Set-Cookie").isEmpty());
        HttpResponse<String> unknown = get("spread");
        assertEquals(401, unknown.statusCode());
        assertTrue(unknown.body().contains("ERROR_REASON_CREDENTIALS_MISSING"), unknown.body());
        assertEquals(
                401,
                get("explain?pod=" + POD, "Authorization", "Bearer wrong-token").statusCode());
        assertEquals(200, known("spread").statusCode());
        assertEquals(200, known("explain?pod=" + POD).statusCode());
    }

    @Test
    void invalidParameter_isNamed() throws Exception {
        for (String[] each : new String[][] {
            {"explain?pod=a", "pod"},
            {"explain", "pod"},
            {"explain?pod=a/b&pod=c/d", "pod"},
            {"spread?violated=yes", "violated"},
            {"spread?workload=a/b", "workload"},
            {"spread?colour=red", "colour"},
            {"spread?namespace=nowhere", "namespaces[0]"},
            {"spread?page=x", "pageToken"},
            {"spread?namespace=%ff", "query"},
        }) {
            HttpResponse<String> answer = known(each[0]);
            assertEquals(400, answer.statusCode(), each[0] + answer.body());
            assertTrue(answer.body().contains("\"field\":\"" + each[1] + "\""), each[0] + answer.body());
        }
        assertEquals(404, known("explain?pod=shop/nope").statusCode());
        assertEquals(404, known("metrics").statusCode());
        assertEquals("405", status(URI.create(address).getPort(), "POST /spread", "x"));
    }

    private static String status(int port, String line, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = line + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.split(" ", 3)[1];
        }
    }

    @Test
    void otherHosts_areRejected_withoutAccessControl() throws Exception {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (HttpServer open = ConsolePages.start(
                free, null, InProcessChannelBuilder.forName("nobody").build(), false)) {
            assertEquals("421", status(open.port(), "GET /", "other.example"));
            assertEquals("200", status(open.port(), "GET /", "localhost:" + open.port()));
            assertEquals("200", status(open.port(), "GET /", "[::1]"));
            assertEquals("503", status(open.port(), "GET /spread", "127.0.0.1"));
        }
    }

    @Test
    void browser_showsSkewAndWhyAPodIsPending_andTakesNamesForText() throws Exception {
        Assumptions.assumeTrue(
                Files.isExecutable(Chromium.PROGRAM), "!! NO " + Chromium.PROGRAM + ": THE CONSOLE IS NOT OPENED !!");
        try (Chromium browser = Chromium.start(directory.resolve("profile"))) {
            browser.open(address);
            browser.await("document.getElementById('access')?.open && !document.getElementById('problem').hidden");
            browser.value("(document.getElementById('token').value = '" + TOKEN
                    + "', document.getElementById('login').requestSubmit())");
            browser.await("document.querySelectorAll('td.hard').length === 1");
            assertEquals("4 of 1", browser.value("document.querySelector('td.hard').textContent"));
            assertTrue(browser.value("document.getElementById('workloads').textContent")
                    .contains(NAME));
            assertEquals("0", browser.value("document.querySelectorAll('img').length"));
            assertEquals("undefined", browser.value("window.hacked"));

            browser.value("[...document.querySelectorAll('[data-workload]')]"
                    + ".find(each => each.dataset.workload === 'shop/Deployment/web').click()");
            browser.await("document.querySelectorAll('.domain').length > 3");
            screenshot(browser, "console-workload.png");

            browser.value("(document.getElementById('pod').value = '" + POD
                    + "', document.getElementById('ask').requestSubmit())");
            browser.await("document.querySelectorAll('.domain.no').length === 2");
            String detail = browser.value("document.getElementById('detail').innerText");
            assertTrue(detail.contains("0/19 nodes are available"), detail);
            assertTrue(detail.contains("rejected: 1 + 1 − 0 = 2 > maxSkew 1"), detail);
            screenshot(browser, "console-pod.png");
            browser.dark(true);
            screenshot(browser, "console-dark.png");

            String before = browser.value("document.getElementById('state').textContent");
            browser.await("document.getElementById('state').textContent !== '" + before + "'");
            assertFalse(
                    browser.value("document.cookie + Object.keys(localStorage)").contains("token"));
        }
    }

    private static void screenshot(Chromium browser, String name) throws IOException, InterruptedException {
        if (SCREENSHOTS != null) {
            browser.screenshot(Path.of(SCREENSHOTS, name));
        }
    }
}

package io.evenkeel.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A page in a real browser, driven by the DevTools protocol. Not thread-safe. */
final class Chromium implements AutoCloseable {
    static final Path PROGRAM = Path.of("/usr/bin/chromium");

    private static final String LISTENING = "DevTools listening on ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final WebSocket socket;
    private final BlockingQueue<String> received;
    private final String session;
    private int lastId;

    private Chromium(Process process, WebSocket socket, BlockingQueue<String> received)
            throws IOException, InterruptedException {
        this.process = process;
        this.socket = socket;
        this.received = received;
        String target = call(null, "Target.createTarget", Map.of("url", "about:blank"))
                .path("targetId")
                .asText();
        session = call(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .path("sessionId")
                .asText();
    }

    /** @param profile a new directory */
    static Chromium start(Path profile) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        PROGRAM.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--remote-debugging-port=0",
                        "--window-size=1360,1000",
                        "--user-data-dir=" + profile)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader log = process.errorReader();
        String line = log.readLine();
        while (line != null && !line.startsWith(LISTENING)) {
            line = log.readLine();
        }
        if (line == null) {
            throw new IOException("chromium ended with " + process.waitFor());
        }
        Thread drain = new Thread(() -> log.lines().forEach(each -> {}), "chromium-log");
        drain.setDaemon(true);
        drain.start();
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        WebSocket socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(line.substring(LISTENING.length())), new Messages(received))
                .join();
        return new Chromium(process, socket, received);
    }

    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<String> received;
        private final StringBuilder text = new StringBuilder();

        Messages(BlockingQueue<String> received) {
            this.received = received;
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                received.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private JsonNode call(@Nullable String of, String method, Map<String, ?> parameters)
            throws IOException, InterruptedException {
        ObjectNode request = JSON.createObjectNode().put("id", ++lastId).put("method", method);
        request.set("params", JSON.valueToTree(parameters));
        if (of != null) {
            request.put("sessionId", of);
        }
        socket.sendText(request.toString(), true).join();
        while (true) {
            String message = received.poll(20, TimeUnit.SECONDS);
            if (message == null) {
                throw new IOException("chromium did not answer " + method);
            }
            JsonNode answer = JSON.readTree(message);
            if (answer.path("id").asInt() == lastId) {
                if (answer.has("error") || answer.path("result").has("exceptionDetails")) {
                    throw new IOException(method + ": " + message);
                }
                return answer.path("result");
            }
        }
    }

    void open(String url) throws IOException, InterruptedException {
        call(session, "Page.navigate", Map.of("url", url));
    }

    void dark(boolean dark) throws IOException, InterruptedException {
        call(
                session,
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** The value of a JavaScript expression, as text. */
    String value(String expression) throws IOException, InterruptedException {
        return call(session, "Runtime.evaluate", Map.of("expression", "String(" + expression + ")"))
                .path("result")
                .path("value")
                .asText();
    }

    /** Waits until an expression is true. */
    void await(String expression) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!"true".equals(value(expression))) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(expression + " is not true of: " + value("document.body.innerText"));
            }
            Thread.sleep(50);
        }
    }

    void screenshot(Path file) throws IOException, InterruptedException {
        String png =
                call(session, "Page.captureScreenshot", Map.of()).path("data").asText();
        Files.write(file, Base64.getDecoder().decode(png));
    }

    @Override
    public void close() {
        socket.abort();
        process.destroyForcibly();
        process.onExit().join();
    }
}

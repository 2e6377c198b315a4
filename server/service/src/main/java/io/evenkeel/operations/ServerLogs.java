package io.evenkeel.operations;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/**
 * Writes all logs of the program and its libraries to standard error, one {@link LogLine} each, unless
 * {@code java.util.logging.config.file} or another system property of the JDK configures them.
 */
public final class ServerLogs extends LogManager {
    /**
     * gRPC logs a stack trace for each request that is too large or aborted. Jetty logs when it starts and stops. Our
     * own code reports the failures of the Kubernetes client.
     */
    private static final String CONFIGURATION = """
            handlers = java.util.logging.ConsoleHandler
            java.util.logging.ConsoleHandler.formatter = %s
            io.grpc.level = SEVERE
            org.eclipse.jetty.level = WARNING
            io.fabric8.kubernetes.level = SEVERE
            """.formatted(LogLine.class.getName());

    /** Called by the JDK. */
    public ServerLogs() {}

    /** Writes further logs as a {@link JsonLogLine} each, unless a system property configures them. */
    public static void writeJson() {
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            if (handler.getFormatter() instanceof LogLine) {
                handler.setFormatter(new JsonLogLine());
            }
        }
    }

    @Override
    public void readConfiguration() throws IOException {
        if (System.getProperty("java.util.logging.config.file") == null
                && System.getProperty("java.util.logging.config.class") == null) {
            readConfiguration(new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.ISO_8859_1)));
        } else {
            super.readConfiguration();
        }
    }

    /** Does nothing. The JDK calls this when the JVM begins to stop, but a stopping server still logs. */
    @Override
    public void reset() {}
}

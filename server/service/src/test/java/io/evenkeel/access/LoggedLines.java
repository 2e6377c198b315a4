package io.evenkeel.access;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Records every line that is logged while it is open, with every logger, including those of libraries, at its finest
 * level. Omits the logs of the test's own gRPC client, which contain its own secrets.
 */
public final class LoggedLines implements AutoCloseable {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Logger root = Logger.getLogger("");
    private final Logger grpc = Logger.getLogger("io.grpc");
    private final Logger client = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler");
    private final @Nullable Level ofRoot = root.getLevel();
    private final @Nullable Level ofGrpc = grpc.getLevel();
    private final @Nullable Level ofClient = client.getLevel();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            StringWriter text = new StringWriter();
            text.append(line.getLoggerName() + " " + line.getMessage() + " " + Arrays.toString(line.getParameters()));
            if (line.getThrown() != null) {
                line.getThrown().printStackTrace(new PrintWriter(text));
            }
            lines.add(text.toString());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    public LoggedLines() {
        handler.setLevel(Level.ALL);
        root.setLevel(Level.ALL);
        grpc.setLevel(Level.ALL);
        client.setLevel(Level.OFF);
        root.addHandler(handler);
    }

    /** Adds a line that is not written to a logger. */
    public void add(String line) {
        lines.add(line);
    }

    /** The lines so far that contain the text. */
    public List<String> with(String text) {
        return lines.stream().filter(line -> line.contains(text)).toList();
    }

    @Override
    public void close() {
        root.removeHandler(handler);
        root.setLevel(ofRoot);
        grpc.setLevel(ofGrpc);
        client.setLevel(ofClient);
    }
}

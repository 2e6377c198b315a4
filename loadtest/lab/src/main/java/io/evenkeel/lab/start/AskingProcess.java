package io.evenkeel.lab.start;

import io.evenkeel.loadtest.local.ChildProgram;
import io.evenkeel.v1.EvaluateRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Calls a server from a separate JVM, so that the caller's compilers and garbage collections take no processor time
 * from the measured server. It does nothing but make calls. It uses only the first-tier compiler, which is done after
 * some thousand calls, and collects garbage when it connects.
 */
final class AskingProcess implements AutoCloseable {
    private static final List<String> QUIET_JAVA =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms600m", "-Xmn500m", "-XX:+AlwaysPreTouch");

    private final ChildProgram program;

    private AskingProcess(ChildProgram program) {
        this.program = program;
    }

    /** Starts the process. It is idle until the first command. */
    static AskingProcess start(EvaluateRequest question, int callsASecond) throws IOException {
        return new AskingProcess(ChildProgram.start(
                QUIET_JAVA,
                System.err::println,
                AskingProgram.class,
                Base64.getEncoder().encodeToString(question.toByteArray()),
                Integer.toString(callsASecond)));
    }

    /** Connects to another server, which need not have a cluster yet. */
    void connect(String target) throws IOException {
        program.write(AskingProgram.CONNECT + target);
        program.await(AskingProgram.CONNECTED);
    }

    /** Makes calls for some time. Returns their durations. */
    Histogram during(Duration time) throws IOException {
        program.write(AskingProgram.ASK + time.toMillis());
        return AskingProgram.histogram(program.await(AskingProgram.TOOK));
    }

    @Override
    public void close() {
        program.close();
    }
}

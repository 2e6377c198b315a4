package io.evenkeel.loadtest.conformance;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.ExitCodes;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.local.LocalServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code evenkeel conformance}: replays corpus files against a server, and reports each answer that differs
 * from the expected one.
 */
@Command(
        name = "conformance",
        description = "Compare a server's answers over gRPC with recorded answers of kube-scheduler.",
        mixinStandardHelpOptions = true,
        exitCodeList = {
            "0:every answer is as expected",
            "1:some answers differ",
            "2:bad usage, a file that cannot be read, or a server that cannot be reached"
        },
        footer = {
            "",
            "A FILE holds JSON lines, plain or gzip: scenarios of watch events, queries and",
            "expected answers. An answer is a node's code, messages or score, the number of nodes",
            "with a message, a sentence, the best node for a pod, or a what-if result.",
            "Each difference is printed; the last line is `N answers, M differ`."
        })
public final class ConformanceCommand implements Callable<Integer> {

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The corpus files to replay.")
    private List<Path> files = List.of();

    @Option(
            names = "--target",
            paramLabel = "HOST:PORT",
            description = "The server to check. Its cluster is replaced. It must not have replayed these files before,"
                    + " because it would treat their events as stale. By default, a server is started.")
    private @Nullable String target;

    @Option(
            names = "--packed",
            description =
                    "Use Evaluate with packed answers (bit sets by node index) instead of Filter and Score by name.")
    private boolean packed;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        try {
            for (Path file : files) {
                if (!Files.isReadable(file) || Files.isDirectory(file)) {
                    throw new CommandFailure(
                            file + ": cannot be read" + (Files.isDirectory(file) ? ", it is a directory" : ""));
                }
            }
            Outcome total = Outcome.NONE;
            for (Path file : files) {
                total = total.plus(target == null ? playOnOwnServer(file, total) : playOn(target, file, total));
            }
            command.getOut().println(total.answers() + " answers, " + total.differences() + " differ");
            return total.differences() > 0 ? ExitCodes.NOT_WELL : ExitCodes.OK;
        } catch (PlacementException problem) {
            String where = target == null ? "the server that was started" : target;
            throw new CommandFailure(where + ": " + problem.getMessage());
        } finally {
            command.getOut().flush();
        }
    }

    /**
     * Replays a file on a new server. A server that was used for another file would be slower because it still holds
     * that file's plans.
     */
    private Outcome playOnOwnServer(Path file, Outcome before) throws IOException {
        try (LocalServer server = LocalServer.start()) {
            return play(server.client(), file, before);
        }
    }

    private Outcome playOn(String hostAndPort, Path file, Outcome before) throws IOException {
        try (PlacementClient client = RemotePlacement.connect(hostAndPort)) {
            return play(client, file, before);
        }
    }

    private Outcome play(PlacementClient client, Path file, Outcome before) throws IOException {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        PlacementClient upToDate = client.readingOwnWrites();
        Judge judge = packed ? new PackedJudge(upToDate) : new ReadableJudge();
        Outcome outcome = Outcome.NONE;
        try (CorpusReader reader = CorpusReader.open(file);
                ScenarioPlayer player = new ScenarioPlayer(upToDate, judge, out::println)) {
            while (true) {
                Scenario scenario = reader.next("s" + (before.scenarios() + outcome.scenarios()) + "-");
                if (scenario == null) {
                    break;
                }
                outcome = outcome.plus(player.play(scenario));
            }
        }
        if (outcome.scenarios() == 0) {
            throw new CommandFailure(file + ": has no scenarios, so nothing was compared");
        }
        out.println(file + ": " + outcome.words());
        out.flush();
        return outcome;
    }
}

package io.evenkeel.loadtest.engine;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The command {@code evenkeel bench engine}: measures the engine with JMH, each figure in a separate JVM. Allocation is
 * measured in this JVM.
 */
@Command(name = "engine", description = "Measure the engine's answers with JMH, on generated clusters.")
public final class EngineBenchCommand implements Callable<Integer> {
    @Option(
            names = "--all",
            description =
                    "Measure every combination of cluster size, incoming pod, question and candidates. Takes hours.")
    private boolean all;

    @Option(
            names = "--only",
            paramLabel = "TEXT",
            description = "Measure only figures whose row contains this text, such as 'first sight' or '100k/'.")
    private String only = "";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "How long to measure each figure, after a warm-up of two thirds of that"
                            + " (default: ${DEFAULT-VALUE}); first sights and garbage are measured with a fixed number of calls instead.")
    private int seconds;

    @Mixin
    private FiguresOutput output = new FiguresOutput();

    @Override
    public Integer call() throws IOException {
        if (seconds < 1) {
            throw output.wrongUsage("--seconds must be at least 1, was " + seconds);
        }
        List<Figure> figures = (all ? Figures.all() : Figures.usual())
                .stream().filter(figure -> row(figure).contains(only)).toList();
        if (figures.isEmpty()) {
            throw output.wrongUsage("--only must be part of a figure's row, was '" + only + "'");
        }
        PrintWriter out = output.out();
        try {
            List<Measurement> measured = measure(figures, out);
            int exitCode = show(measured, out);
            output.write(FiguresOutput.ofThisMachine(Map.of("figures", measured)));
            return exitCode;
        } catch (RunnerException problem) {
            throw new CommandFailure(String.valueOf(problem.getMessage()));
        }
    }

    private List<Measurement> measure(List<Figure> figures, PrintWriter out) throws RunnerException {
        BenchmarkRun run = new BenchmarkRun(seconds);
        List<Measurement> measured = new ArrayList<>();
        for (Figure figure : figures) {
            Measurement each = run.of(figure);
            measured.add(each);
            out.println("%d/%d  %s  %s".formatted(measured.size(), figures.size(), row(figure), each.value()));
        }
        return measured;
    }

    private static String row(Figure figure) {
        return figure.what() + "  " + cluster(figure);
    }

    private static String cluster(Figure figure) {
        String size = Arrays.stream(figure.parameter("cluster").split("/", -1))
                .map(EngineBenchCommand::brief)
                .collect(Collectors.joining("/"));
        return size + " " + figure.parameter("shape");
    }

    /** A number in short form: {@code 150k} for 150000. */
    private static String brief(String number) {
        return number.replaceFirst("000000$", "M").replaceFirst("000$", "k");
    }

    /** Prints the measurements, and returns the exit code. */
    private static int show(List<Measurement> measured, PrintWriter out) {
        Table table = new Table("what", "cluster", "p50 µs>", "p99 µs>", "wanted>", "holds");
        Bounds bounds = new Bounds();
        for (Measurement each : measured) {
            table.row(
                    each.figure().what(),
                    cluster(each.figure()),
                    each.value(),
                    each.p99Nanos() == 0 ? "" : Numbers.micros((long) each.p99Nanos()),
                    each.wanted(),
                    !each.hasBound() ? "" : each.holds() ? "yes" : "NO");
            if (each.hasBound()) {
                bounds.add(row(each.figure()) + ": " + each.value() + ", must be " + each.wanted(), each.holds());
            }
        }
        out.println();
        table.print(out);
        out.println();
        bounds.show(out);
        return bounds.exitCode();
    }
}

package io.evenkeel.loadtest.rpc;

import io.evenkeel.cli.CommandFailure;
import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Pins this process, and the processes that it starts, to separate processors, with Linux's {@code taskset}. Closing it
 * ends that for this process.
 */
final class ProcessorPins implements AutoCloseable {
    private final List<Integer> processors = new ArrayList<>();
    private final String before;

    /**
     * Finds the processors that this process may use.
     *
     * @throws CommandFailure if they are less than two, or cannot be determined
     */
    ProcessorPins() throws IOException, InterruptedException {
        String list = taskset("-c", "-p", own());
        before = list.substring(list.lastIndexOf(':') + 1).strip();
        for (String range : before.split(",", -1)) {
            String[] ends = range.split("-", -1);
            for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                processors.add(i);
            }
        }
        if (processors.size() < 2) {
            throw new CommandFailure("needs two processors, and may use only " + before);
        }
    }

    /** Pins all threads of this process to one of two processors. Processes that it starts later inherit that. */
    void pinTo(int which) throws IOException, InterruptedException {
        pinTo(String.valueOf(processors.get(which)));
    }

    private static void pinTo(String list) throws IOException, InterruptedException {
        String unused = taskset("-a", "-c", "-p", list, own());
    }

    @Override
    public void close() throws IOException {
        try {
            pinTo(before);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static String own() {
        return String.valueOf(ProcessHandle.current().pid());
    }

    private static String taskset(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("taskset"));
        command.addAll(List.of(arguments));
        return ManagedProcess.output(command);
    }
}

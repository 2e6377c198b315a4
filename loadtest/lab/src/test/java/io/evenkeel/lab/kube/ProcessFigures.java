package io.evenkeel.lab.kube;

import io.evenkeel.loadtest.local.ManagedProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a JVM on this machine holds.
 *
 * @param heapBytes the size of all live objects
 */
record ProcessFigures(long heapBytes, int threads, int descriptors) {
    /** Buffers, and caches that fill slowly. */
    private static final double MORE_HEAP = 1.25;

    /** The JVM starts and ends threads of its compilers and collector as needed, and pools those of workers. */
    private static final int MORE_THREADS = 8;

    private static final int MORE_DESCRIPTORS = 8;

    /** The figures of a process, after a full garbage collection. */
    static ProcessFigures of(long pid) throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        // The last line: Total INSTANCES BYTES
        String histogram = ManagedProcess.output(List.of(jcmd, Long.toString(pid), "GC.class_histogram"))
                .strip();
        long heap = Long.parseLong(histogram.substring(histogram.lastIndexOf(' ') + 1));
        return new ProcessFigures(heap, count(pid, "task"), count(pid, "fd"));
    }

    private static int count(long pid, String entries) {
        return Objects.requireNonNull(new File("/proc/" + pid, entries).list(), entries).length;
    }

    /** What is more than it was earlier, beyond what varies in a server that leaks nothing. */
    List<String> growth(ProcessFigures earlier) {
        List<String> growth = new ArrayList<>();
        if (heapBytes > earlier.heapBytes * MORE_HEAP) {
            growth.add("heap: %,d bytes, earlier %,d".formatted(heapBytes, earlier.heapBytes));
        }
        if (threads > earlier.threads + MORE_THREADS) {
            growth.add("threads: %d, earlier %d".formatted(threads, earlier.threads));
        }
        if (descriptors > earlier.descriptors + MORE_DESCRIPTORS) {
            growth.add("file descriptors: %d, earlier %d".formatted(descriptors, earlier.descriptors));
        }
        return growth;
    }

    @Override
    public String toString() {
        return "%.1f MiB, %d threads, %d descriptors".formatted(heapBytes / 1048576.0, threads, descriptors);
    }
}

package io.evenkeel.loadtest.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ManagedProcessTest {
    private static final String SLEEPS = "echo ready; exec sleep 600";

    private static ProcessBuilder shell(String script) {
        return new ProcessBuilder("sh", "-c", script);
    }

    /** The program that is killed in a test. It starts another program, and prints its process ID. */
    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            ManagedProcess child = ManagedProcess.start(shell(SLEEPS), System.err::println);
            child.await("ready");
            System.out.println("child " + child.pid());
            new CountDownLatch(1).await();
        }
    }

    @Test
    void program_ends_whenItsParentIsKilled() throws Exception {
        ManagedProcess parent =
                ManagedProcess.startInteractive(ManagedProcess.java(List.of(), Parent.class), System.err::println);
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(parent.await("child "))).orElseThrow();
        assertTrue(child.isAlive());
        parent.kill();
        child.onExit().get(1, TimeUnit.MINUTES);
    }

    @Test
    void program_getsSigterm_whenItIsClosed() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        ManagedProcess program = ManagedProcess.start(
                shell("trap 'echo bye >&2; exit' TERM; echo ready; while :; do sleep 0.1; done"),
                line -> told.countDown());
        program.await("ready");
        program.close();
        assertFalse(program.isAlive());
        assertEquals(0, told.getCount());
        assertTrue(program.lastLines().endsWith("bye"), program::lastLines);
    }

    @Test
    void program_ends_whenItIsKilled() throws Exception {
        ManagedProcess program = ManagedProcess.start(shell("trap '' TERM; " + SLEEPS), line -> {});
        program.await("ready");
        program.kill();
        assertFalse(program.isAlive());
    }

    @Test
    void interactiveProgram_repliesToLines_andEndsWithItsInput() throws Exception {
        ManagedProcess program = ManagedProcess.startInteractive(new ProcessBuilder("cat"), line -> {});
        program.write("noise");
        program.write("answer 42");
        assertEquals("42", program.await("answer "));
        program.close();
        assertFalse(program.isAlive());
    }

    @Test
    void await_reportsHowTheProgramEnded() throws Exception {
        try (ManagedProcess program = ManagedProcess.start(shell("echo no such file >&2; exit 3"), line -> {})) {
            IOException ended = assertThrows(IOException.class, () -> program.await("ready"));
            String message = String.valueOf(ended.getMessage());
            assertTrue(message.startsWith("the program ended with exit code 3 before it printed 'ready': "), message);
        }
    }
}

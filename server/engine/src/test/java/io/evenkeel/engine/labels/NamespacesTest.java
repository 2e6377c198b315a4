package io.evenkeel.engine.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class NamespacesTest {
    private static final int LOOKS = 500_000;

    private final Namespaces namespaces = new Namespaces();

    @Test
    void eachThreadFindsTheNamespaceThatItAskedFor_whenSeveralLookAtOnce() throws Exception {
        List<String> names = List.of("shop", "bank", "farm", "port");
        names.forEach(namespaces::acquire);
        CyclicBarrier start = new CyclicBarrier(names.size());
        ExecutorService threads = Executors.newFixedThreadPool(names.size());
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (String name : names) {
                running.add(threads.submit(() -> {
                    byte[] text = name.getBytes(StandardCharsets.UTF_8);
                    start.await();
                    for (int i = 0; i < LOOKS; i++) {
                        Namespace found = namespaces.find(text, 0, text.length);
                        assertNotNull(found);
                        assertEquals(name, found.name);
                    }
                    return null;
                }));
            }
            for (Future<Void> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}

package io.evenkeel.lab.scheduler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LagProxyTest {
    private static final long LAG_MILLIS = 30;

    @Test
    void bytesOfTheServer_arriveLater_completeAndInOrder() throws IOException {
        byte[] sent = new byte[1 << 20];
        new Random(1).nextBytes(sent);
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                LagProxy proxy = new LagProxy(listening.getLocalPort(), LAG_MILLIS);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                Socket server = listening.accept()) {
            client.getOutputStream().write(7);
            assertEquals(7, server.getInputStream().read());
            for (int i = 0; i < 2; i++) {
                long begin = System.nanoTime();
                server.getOutputStream().write(sent);
                byte[] received = client.getInputStream().readNBytes(sent.length);
                assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(LAG_MILLIS));
                assertArrayEquals(sent, received);
            }
            server.shutdownOutput();
            assertEquals(-1, client.getInputStream().read());
        }
    }
}

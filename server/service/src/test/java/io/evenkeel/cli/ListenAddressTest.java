package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ListenAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:7450, 127.0.0.1, 7450, 127.0.0.1:9",
        "localhost:0, localhost, 0, localhost:9",
        "[::1]:65535, 0:0:0:0:0:0:0:1, 65535, [0:0:0:0:0:0:0:1]:9"
    })
    void hostAndPort_areRead_andReportedWithThePortInUse(String text, String host, int port, String told) {
        InetSocketAddress address = new ListenAddress().convert(text);
        assertEquals(host, address.getHostString());
        assertEquals(port, address.getPort());
        assertEquals(told, ListenAddress.text(address, 9));
    }
}

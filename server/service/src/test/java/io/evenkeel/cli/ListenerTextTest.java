package io.evenkeel.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.service.Listener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ListenerTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unix:/run/e.sock | /run/e.sock | rw-------",
                "unix:/run/e.sock,mode=0660 | /run/e.sock | rw-rw----",
                "unix:/run/e.sock,mode=766 | /run/e.sock | rwxrw-rw-",
                "unix:///run/e.sock,mode=002 | /run/e.sock | -------w-",
                "unix:e,f.sock | e,f.sock | rw-------",
            })
    void socket_isRead_withItsMode(String text, String path, String mode) {
        Listener listener = new ListenerText().convert(text);
        assertEquals(new Listener.Unix(Path.of(path), PosixFilePermissions.fromString(mode)), listener);
        assertEquals("unix:" + path, ListenerText.text(listener));
    }

    @Test
    void hostAndPort_areRead() throws Exception {
        Listener listener = new ListenerText().convert("127.0.0.1:7450");
        assertEquals(new Listener.Tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7450)), listener);
        assertEquals("127.0.0.1:7450", ListenerText.text(listener));
    }
}

package io.evenkeel.loadtest.local;

import io.evenkeel.loadtest.echo.EchoService;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.Listener;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The program of {@link ServerUnderTest#withEcho}: a server with default settings and the {@link EchoService}, on a
 * free loopback port, and on the Unix domain socket named by its argument, if any. It prints the address, and serves
 * until its standard input ends, which happens when its parent process ends.
 */
final class ServerProgram {
    private ServerProgram() {}

    public static void main(String[] arguments) throws IOException {
        Logger grpc = Logger.getLogger("io.grpc");
        grpc.setLevel(Level.SEVERE);
        ServerOptions options = ServerOptions.onLoopback(0).withFurtherServices(new EchoService());
        if (arguments.length > 0) {
            Listener socket = new Listener.Unix(Path.of(arguments[0]), PosixFilePermissions.fromString("rw-------"));
            options = options.withListeners(options.listeners().get(0), socket);
        }
        try (EvenkeelServer server = EvenkeelServer.start(options)) {
            System.out.println(ServerUnderTest.LISTENS + "127.0.0.1:" + server.port());
            System.out.flush();
            while (System.in.read() >= 0) {
                // Nothing is ever written to it.
            }
        }
    }
}

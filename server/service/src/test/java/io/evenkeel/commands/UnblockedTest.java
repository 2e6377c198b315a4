package io.evenkeel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.cli.Run;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the command {@code unblocked}. */
@Timeout(60)
final class UnblockedTest {
    @Test
    void pod_isPrintedWhenANodeBeginsToAcceptIt() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ServedFiles.load(server, CommandFiles.path("full.yaml"));
            String address = ServedFiles.address(server);
            Run early = CommandFiles.run("unblocked", "--server", address, "--pod", "big.yaml", "--timeout", "10ms");
            assertEquals("shop/big: no node accepts it\n", early.out(), early::err);
            assertEquals(1, early.exitCode());

            CompletableFuture<Run> waiting = CompletableFuture.supplyAsync(
                    () -> CommandFiles.run("unblocked", "--server", address, "--pod", "big.yaml"));
            Node.Builder node = Messages.node("c", "c").toBuilder();
            node.getStatusBuilder()
                    .putAllocatable("pods", StringValue.of("110"))
                    .putAllocatable("cpu", StringValue.of("8"));
            // The command may see the first of these nodes at its beginning.
            for (int i = 0; !waiting.isDone(); i++) {
                node.getMetadataBuilder().setName("c" + i).setUid("c" + i);
                server.instance().clusterState().apply(Messages.apply(List.of(Messages.object(node.build()))));
                Thread.sleep(i == 0 ? 2_000 : 10);
            }
            Run run = waiting.join();
            assertEquals(0, run.exitCode(), run::err);
            assertTrue(run.out().startsWith("shop/big: "), run::out);
        }
    }

    @Test
    void wrongUsage_isRejected() {
        Run files = CommandFiles.run("unblocked", "--cluster", "full.yaml", "--pod", "big.yaml");
        assertEquals(2, files.exitCode());
        assertTrue(files.err().contains("unblocked needs --server"), files::err);
        Run without = CommandFiles.run("unblocked", "--pod", "big.yaml");
        assertEquals(2, without.exitCode());
        assertTrue(without.err().contains("unblocked needs --server"), without::err);
        Run none = CommandFiles.run("unblocked", "--server", "127.0.0.1:1");
        assertEquals(2, none.exitCode());
        Run unreachable = CommandFiles.run("unblocked", "--server", "127.0.0.1:1", "--pod", "big.yaml");
        assertEquals(2, unreachable.exitCode(), unreachable::err);
    }

    @Test
    void exampleOfThePage_isThePodOfTheTest() throws IOException {
        String page = Files.readString(Path.of("../docs/unblocked.md"));
        assertTrue(page.contains("shop/big: no node accepts it\nshop/big: unblocked at revision "), page);
    }
}

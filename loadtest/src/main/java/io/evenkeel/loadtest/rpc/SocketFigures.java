package io.evenkeel.loadtest.rpc;

import io.evenkeel.loadtest.cluster.IncomingShape;
import io.evenkeel.v1.AnswerForm;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs the measurements of {@code bench rpc --unix}: each call over TCP, and then over the socket. Not thread-safe. */
final class SocketFigures {
    private final RpcBench tcp;
    private final RpcBench socket;
    private final PrintWriter out;
    private final List<RpcRow> overTcp = new ArrayList<>();
    private final List<RpcRow> overSocket = new ArrayList<>();

    SocketFigures(RpcBench tcp, RpcBench socket, PrintWriter out) {
        this.tcp = tcp;
        this.socket = socket;
        this.out = out;
    }

    private interface Figure {
        RpcRow of(RpcBench bench) throws InterruptedException, FailedCallException;
    }

    /** Runs the measurements. Rows for TCP and the socket alternate. */
    List<RpcRow> rows() throws InterruptedException, FailedCallException {
        for (boolean stream : new boolean[] {false, true}) {
            for (IncomingShape shape : RpcBench.BOTH) {
                both(RpcBench.name(shape, stream), bench -> bench.oneByOne(shape, stream));
            }
        }
        for (AnswerForm form : List.of(AnswerForm.ANSWER_FORM_BEST, AnswerForm.ANSWER_FORM_PACKED)) {
            both("64 in flight", bench -> bench.throughput(form));
        }
        List<RpcRow> all = new ArrayList<>();
        for (int i = 0; i < overTcp.size(); i++) {
            all.add(overTcp.get(i).named("tcp: " + overTcp.get(i).what()));
            all.add(overSocket.get(i).named("unix: " + overSocket.get(i).what()));
        }
        return all;
    }

    private void both(String name, Figure figure) throws InterruptedException, FailedCallException {
        out.println("  " + name + " ...");
        overTcp.add(figure.of(tcp));
        overSocket.add(figure.of(socket));
    }

    /** Shows the p50 over the socket as a multiple of that over TCP. */
    void compare() {
        for (int i = 0; i < overTcp.size(); i++) {
            out.println(String.format(
                    Locale.ROOT,
                    "%s: the p50 over the socket is %.2f times that over TCP",
                    overTcp.get(i).what(),
                    overSocket.get(i).p50Nanos() / (double) overTcp.get(i).p50Nanos()));
        }
    }
}

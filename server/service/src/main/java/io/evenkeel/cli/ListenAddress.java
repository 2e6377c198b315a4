package io.evenkeel.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT}; a host with colons stands in brackets. */
final class ListenAddress implements ITypeConverter<InetSocketAddress> {
    private static final int MAX_PORT = 65_535;

    /** What the system says of it, whoever asks it. */
    private static final String IN_USE = "Address already in use";

    ListenAddress() {}

    @Override
    public InetSocketAddress convert(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            host = "";
        }
        if (host.isEmpty()) {
            throw new TypeConversionException("must be HOST:PORT, was '" + text + "'");
        }
        InetSocketAddress address = new InetSocketAddress(host, port(text, text.substring(colon + 1)));
        if (address.isUnresolved()) {
            throw new TypeConversionException("must name a known host, was '" + text + "'");
        }
        return address;
    }

    private static int port(String text, String port) {
        try {
            int number = Integer.parseInt(port);
            if (number >= 0 && number <= MAX_PORT) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As for a number out of range.
        }
        throw new TypeConversionException("must end in a port from 0 to " + MAX_PORT + ", was '" + text + "'");
    }

    /** Why a server does not listen at {@code address}, as {@code option} says it should. */
    static CommandFailure failure(String option, InetSocketAddress address, IOException problem) {
        String where = option + " " + text(address, address.getPort()) + ": ";
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(IN_USE)) {
                return new CommandFailure(
                        where + "address already in use; choose another with " + option + " (port 0 is any free one)");
            }
        }
        Throwable cause = problem.getCause() == null ? problem : problem.getCause();
        return new CommandFailure(where + cause.getMessage());
    }

    /** The same form, with the port that is in use. */
    static String text(InetSocketAddress address, int port) {
        String host = address.getHostString();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}

package io.evenkeel.cli;

import com.google.common.net.HostAndPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses and formats listen addresses of the form {@code HOST:PORT}. A host with colons is in brackets. */
final class ListenAddress implements ITypeConverter<InetSocketAddress> {
    /** The system's message if another program uses the address. There is no error code to compare instead. */
    private static final String IN_USE = "Address already in use";

    ListenAddress() {}

    @Override
    public InetSocketAddress convert(String text) {
        HostAndPort hostAndPort = parsed(text);
        InetSocketAddress address = new InetSocketAddress(hostAndPort.getHost(), hostAndPort.getPort());
        if (address.isUnresolved()) {
            throw new TypeConversionException("must have a host name that can be resolved, was '" + text + "'");
        }
        return address;
    }

    private static HostAndPort parsed(String text) {
        try {
            HostAndPort hostAndPort = HostAndPort.fromString(text);
            if (hostAndPort.hasPort() && !hostAndPort.getHost().isEmpty()) {
                return hostAndPort;
            }
        } catch (IllegalArgumentException e) {
            // Handled below, as an address without a port.
        }
        throw new TypeConversionException("must be HOST:PORT with a port from 0 to 65535, was '" + text + "'");
    }

    /** The failure to listen at {@code address}, which was given by {@code option}. */
    static CommandFailure failure(String option, InetSocketAddress address, IOException problem) {
        String where = option + " " + text(address, address.getPort()) + ": ";
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains(IN_USE)) {
                return new CommandFailure(
                        where + "address already in use; choose another with " + option + " (port 0 picks a free one)");
            }
        }
        Throwable cause = problem.getCause() == null ? problem : problem.getCause();
        return new CommandFailure(where + cause.getMessage());
    }

    /** The address in the same form, with the actual port. */
    static String text(InetSocketAddress address, int port) {
        return HostAndPort.fromParts(address.getHostString(), port).toString();
    }
}

package io.evenkeel.cli;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code HOST:PORT}; a host with colons stands in brackets. */
final class ListenAddress implements ITypeConverter<InetSocketAddress> {
    private static final int MAX_PORT = 65_535;

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

    /** The same form, with the port that is in use. */
    static String text(InetSocketAddress address, int port) {
        String host = address.getHostString();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}

package io.evenkeel.cli;

import io.evenkeel.service.ListenException;
import io.evenkeel.service.Listener;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses and formats listeners: {@code HOST:PORT}, or {@code unix:PATH} with an optional file mode, for instance
 * {@code unix:/run/evenkeel.sock,mode=0660}.
 */
final class ListenerText implements ITypeConverter<Listener> {
    private static final String UNIX = "unix:";

    /** The form in which gRPC clients also write absolute paths. */
    private static final String UNIX_WITH_AUTHORITY = "unix://";

    private static final Pattern MODE = Pattern.compile(",mode=(.*)$");
    private static final Pattern OCTAL = Pattern.compile("0?[0-7]{3}");
    private static final int OCTAL_RADIX = 8;

    private static final Set<PosixFilePermission> OWNER_ALONE =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    ListenerText() {}

    @Override
    public Listener convert(String text) {
        return text.startsWith(UNIX) ? unix(text) : new Listener.Tcp(new ListenAddress().convert(text));
    }

    private static Listener unix(String text) {
        String path =
                text.substring(text.startsWith(UNIX_WITH_AUTHORITY) ? UNIX_WITH_AUTHORITY.length() : UNIX.length());
        Set<PosixFilePermission> mode = OWNER_ALONE;
        Matcher found = MODE.matcher(path);
        if (found.find()) {
            mode = mode(found.group(1));
            path = path.substring(0, found.start());
        }
        if (path.isEmpty() || path.endsWith("/")) {
            throw new TypeConversionException("must name a file after unix:, was '" + text + "'");
        }
        try {
            return new Listener.Unix(Path.of(path), mode);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("must name a file after unix:, was '" + text + "'");
        }
    }

    private static Set<PosixFilePermission> mode(String octal) {
        if (!OCTAL.matcher(octal).matches()) {
            throw new TypeConversionException("mode must be octal, such as 0660, was '" + octal + "'");
        }
        int bits = Integer.parseInt(octal, OCTAL_RADIX);
        Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            // The constants are in the order of the bits, beginning with the owner's read permission.
            if ((bits & 1 << all.length - 1 - i) != 0) {
                mode.add(all[i]);
            }
        }
        return mode;
    }

    /** The listener as clients name it. */
    static String text(Listener listener) {
        return listener instanceof Listener.Tcp tcp
                ? ListenAddress.text(tcp.address(), tcp.address().getPort())
                : UNIX + ((Listener.Unix) listener).path();
    }

    /** The failure to listen. Its message names the option and the listener. */
    static CommandFailure failure(ListenException problem) {
        return problem.listener() instanceof Listener.Tcp tcp
                ? ListenAddress.failure("--listen", tcp.address(), problem.problem())
                : new CommandFailure("--listen " + text(problem.listener()) + ": " + Program.reason(problem.problem()));
    }
}

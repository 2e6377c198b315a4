package io.evenkeel.cli;

import io.evenkeel.client.remote.RemotePlacement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name a running server, and the credentials for it. */
public final class RemoteOptions {
    private static final String UNIX = "unix:";
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]+]|[^:\\[\\]]+):\\d{1,5}");

    private static final Pattern LOOPBACK = Pattern.compile("127(\\.\\d{1,3}){3}|\\[(::1|(0{1,4}:){7}0{0,3}1)]");

    /** An explanation of a pod that fits nowhere takes seconds in a large cluster. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Option(
            names = "--server",
            paramLabel = "ADDRESS",
            description =
                    "Query a running server (evenkeel serve) about its cluster: HOST:PORT, or unix:PATH for its socket.")
    private @Nullable String server;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "CA certificates for the server's certificate, in PEM. The connection then uses TLS.")
    private @Nullable Path authorities;

    @Option(names = "--cert", paramLabel = "FILE", description = "The client certificate, in PEM.")
    private @Nullable Path certificate;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "The private key of the client certificate, in PEM (PKCS #8).")
    private @Nullable Path key;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A file with a bearer token for the server.")
    private @Nullable Path token;

    /** No server. */
    public RemoteOptions() {}

    /** Whether a server is given. */
    public boolean isOn() {
        return server != null;
    }

    /** The server's address as it was typed. */
    public String server() {
        return String.valueOf(server);
    }

    /** Rejects options that are malformed or cannot be combined. */
    public void check(CommandLine command) {
        String named = server;
        if (named == null) {
            if (authorities != null || certificate != null || key != null || token != null) {
                throw new ParameterException(command, "--ca, --cert, --key and --token-file need --server");
            }
            return;
        }
        if (named.startsWith(UNIX)
                ? named.length() == UNIX.length()
                : !HOST_AND_PORT.matcher(named).matches()) {
            throw new ParameterException(command, "--server must be HOST:PORT or unix:PATH, was '" + named + "'");
        }
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(command, "--cert and --key must be given together");
        }
        if (certificate != null && authorities == null) {
            throw new ParameterException(command, "--cert and --key need --ca");
        }
        if (token != null && authorities == null && !isOnThisMachine(named)) {
            throw new ParameterException(
                    command,
                    "--token-file needs --ca: without TLS, anyone on the network path to " + named
                            + " could read the token");
        }
    }

    /** Localhost is the only accepted name, because any other name is resolved again when connecting. */
    private static boolean isOnThisMachine(String named) {
        Matcher address = HOST_AND_PORT.matcher(named);
        return !address.matches()
                || address.group(1).equalsIgnoreCase("localhost")
                || LOOPBACK.matcher(address.group(1)).matches();
    }

    private static String secret(Path file) throws IOException {
        // ISO 8859-1 can decode any bytes.
        String secret;
        try {
            secret = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            throw ClusterInput.named("--token-file " + file, e);
        }
        if (secret.isEmpty() || secret.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new CommandFailure("--token-file " + file + " must contain one token, in ASCII and without spaces");
        }
        return secret;
    }

    /** Creates a client of the server. Nothing is sent yet. */
    ServedCluster connect() throws IOException {
        return open(settings ->
                new ServedCluster(server(), settings.deadline(PATIENCE).build(), authorities != null));
    }

    /**
     * Creates a client of the server, or a channel, after {@link #check}.
     *
     * @param opening creates it, with the server's address and credentials
     * @throws CommandFailure if it cannot be created, or a file does not contain what it should
     * @throws IOException if a file cannot be read
     */
    public <T> T open(Function<RemotePlacement.Builder, T> opening) throws IOException {
        RemotePlacement.Builder settings = settings();
        try {
            return opening.apply(settings);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new CommandFailure("--server " + server + ": " + e.getMessage());
        }
    }

    private RemotePlacement.Builder settings() throws IOException {
        RemotePlacement.Builder builder = RemotePlacement.builder(server());
        Path issuers = authorities;
        if (issuers != null) {
            Path shown = certificate;
            Path itsKey = key;
            try {
                if (shown != null && itsKey != null) {
                    builder.mutualTls(issuers, shown, itsKey);
                } else {
                    builder.tls(issuers);
                }
            } catch (IOException e) {
                throw ClusterInput.named("--ca, --cert and --key", e);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure("--ca, --cert and --key: " + e.getMessage());
            }
        }
        Path tokens = token;
        if (tokens != null) {
            String secret = secret(tokens);
            builder.token(() -> secret);
        }
        return builder;
    }
}

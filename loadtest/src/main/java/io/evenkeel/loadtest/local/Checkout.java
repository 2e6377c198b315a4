package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The source checkout from which this program was built. Some commands use its scripts and sources. */
public final class Checkout {
    private Checkout() {}

    /**
     * The directory {@code loadtest}. This class runs from {@code loadtest/target}.
     *
     * @param needed a file in it that the caller requires
     * @throws IOException if the file does not exist
     */
    public static Path loadtest(String needed) throws IOException {
        try {
            Path built = Path.of(Checkout.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path home = built.resolve("../..").normalize();
            if (!Files.isRegularFile(home.resolve(needed))) {
                throw new IOException("missing file of the source checkout: " + home.resolve(needed));
            }
            return home;
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}

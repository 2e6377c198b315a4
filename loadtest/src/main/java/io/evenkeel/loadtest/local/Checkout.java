package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The source checkout from which this program was built. Some commands use its scripts and sources. */
public final class Checkout {
    private Checkout() {}

    /**
     * The directory {@code loadtest}, which is above the folder or jar that this class runs from.
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
            for (Path at = built; at != null; at = at.getParent()) {
                if (Files.isRegularFile(at.resolve(needed))) {
                    return at;
                }
            }
            throw new IOException("a file of the checkout is missing: loadtest/" + needed);
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}

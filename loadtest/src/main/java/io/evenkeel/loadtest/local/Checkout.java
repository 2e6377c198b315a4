package io.evenkeel.loadtest.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The checkout that this program was built from, whose scripts and sources some commands use. */
public final class Checkout {
    private Checkout() {}

    /**
     * The directory {@code loadtest}, which is above the folder or jar that this class runs from.
     *
     * @param needed a file in it, without which the caller can do nothing
     * @throws IOException where there is no such file
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

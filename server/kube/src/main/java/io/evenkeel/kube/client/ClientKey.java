package io.evenkeel.kube.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Detects the algorithm of a client certificate's private key. */
final class ClientKey {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);
    private static final String SEC1 = "BEGIN EC PRIVATE KEY";

    private ClientKey() {}

    /**
     * {@code EC} if the key is an elliptic-curve key; the client library assumes RSA otherwise.
     *
     * @param data the key as PEM or Base64-encoded PEM; null to read it from the file
     * @return null for other algorithms, or if there is no key
     */
    static @Nullable String algorithm(@Nullable String data, @Nullable String file) throws IOException {
        String pem;
        if (data != null) {
            pem = data.contains("-----BEGIN ") ? data : decoded(data);
        } else if (file != null) {
            pem = Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
        } else {
            return null;
        }
        if (pem.contains(SEC1)) {
            return "EC";
        }
        Matcher key = PKCS8.matcher(pem);
        return key.find() && isEllipticCurve(key.group(1)) ? "EC" : null;
    }

    private static String decoded(String data) {
        try {
            return new String(Base64.getMimeDecoder().decode(data), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static boolean isEllipticCurve(String base64) {
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(base64);
            return KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(encoded))
                    .getAlgorithm()
                    .equals("EC");
        } catch (InvalidKeySpecException | IllegalArgumentException e) {
            return false;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK supports EC keys", e);
        }
    }
}

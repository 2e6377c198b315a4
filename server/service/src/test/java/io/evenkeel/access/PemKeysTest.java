package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PemKeysTest {
    private final TestAuthority authority = new TestAuthority("authority");

    private TestAuthority.Issued issued(String algorithm) {
        return authority.issue("e", TestAuthority.keys(algorithm), Instant.now().plus(Duration.ofHours(1)));
    }

    private static byte[] bytes(String pem) {
        return pem.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void keys_areRead_inPkcs8(String algorithm) throws Exception {
        TestAuthority.Issued issued = issued(algorithm);
        assertEquals(issued.key(), PemKeys.key(bytes(issued.keyPem()), issued.certificate()));
    }

    /** The forms that cert-manager writes. */
    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC"})
    void keys_areRead_inTheOlderForms(String algorithm) throws Exception {
        TestAuthority.Issued issued = issued(algorithm);
        String pem = issued.oldKeyPem();
        assertEquals(
                "-----BEGIN " + algorithm + " PRIVATE KEY-----",
                pem.lines().findFirst().orElse(""));
        assertEquals(issued.key(), PemKeys.key(bytes(pem), issued.certificate()));
    }

    @Test
    void keyOfAnotherCertificate_isRefused() {
        assertRefused(
                issued("EC").keyPem(),
                issued("EC").certificate(),
                "contains a private key that does not match the certificate");
        assertRefused(
                issued("RSA").keyPem(),
                issued("EC").certificate(),
                "contains no private key of the certificate's type, EC");
    }

    @Test
    void whatIsNoKey_isRefused() {
        TestAuthority.Issued issued = issued("EC");
        String none = "contains no unencrypted PEM private key";
        assertRefused("", issued.certificate(), none);
        assertRefused(issued.certificatePem(), issued.certificate(), none);
        String pem = issued.keyPem();
        assertRefused(pem.substring(0, pem.length() / 2), issued.certificate(), none);
        assertRefused(
                pem.replaceFirst("\n.{20}", "\n"),
                issued.certificate(),
                "contains no private key of the certificate's type, EC");
    }

    private static void assertRefused(String pem, X509Certificate certificate, String message) {
        FileFormatException refused =
                assertThrows(FileFormatException.class, () -> PemKeys.key(bytes(pem), certificate));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void chains_areRead_andWhatIsNoneRefused() throws Exception {
        TestAuthority.Issued issued = issued("EC");
        List<X509Certificate> chain = PemKeys.certificates(bytes(issued.certificatePem() + authority.pem()));
        assertEquals(2, chain.size());
        assertEquals(issued.certificate(), chain.get(0));
        assertThrows(FileFormatException.class, () -> PemKeys.certificates(bytes("nothing")));
        FileFormatException refused =
                assertThrows(FileFormatException.class, () -> PemKeys.certificates(bytes(issued.keyPem())));
        assertFalse(
                String.valueOf(refused.getMessage()).contains(issued.keyPem().substring(40, 60)));
    }
}

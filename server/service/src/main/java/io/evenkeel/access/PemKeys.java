package io.evenkeel.access;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and private keys in PEM. Errors never quote a key. */
final class PemKeys {
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN (RSA PRIVATE KEY|EC PRIVATE KEY|PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    private static final String PKCS8 = "PRIVATE KEY";
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final byte[] ANYTHING = {1, 2, 3};

    private PemKeys() {}

    /** The certificates of a file, at least one. */
    static List<X509Certificate> certificates(byte[] pem) throws FileFormatException {
        List<X509Certificate> certificates;
        try {
            certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem)).stream()
                            .map(X509Certificate.class::cast)
                            .toList();
        } catch (CertificateException e) {
            throw new FileFormatException("contains no valid PEM certificate: " + e.getMessage());
        }
        if (certificates.isEmpty()) {
            throw new FileFormatException("contains no PEM certificate");
        }
        return certificates;
    }

    /**
     * The private key of a file: PKCS #8, or the older forms of RSA and EC keys.
     *
     * @param certificate the certificate of the key
     * @throws FileFormatException if there is none, or it does not match the certificate
     */
    static PrivateKey key(byte[] pem, X509Certificate certificate) throws FileFormatException {
        Matcher found = KEY.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        if (!found.find()) {
            throw new FileFormatException("contains no unencrypted PEM private key");
        }
        PublicKey other = certificate.getPublicKey();
        PrivateKey key;
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(found.group(2));
            byte[] pkcs8 = found.group(1).equals(PKCS8) ? bytes : pkcs8(bytes, other);
            key = KeyFactory.getInstance(other.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (InvalidKeySpecException e) {
            throw new FileFormatException("contains no private key of the certificate's type, " + other.getAlgorithm());
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new FileFormatException("contains a private key that cannot be read");
        }
        if (!belongTogether(key, other)) {
            throw new FileFormatException("contains a private key that does not match the certificate");
        }
        return key;
    }

    /** Wraps a key in PKCS #8, with the algorithm identifier of the encoded public key. */
    private static byte[] pkcs8(byte[] key, PublicKey other) {
        byte[] encoded = other.getEncoded();
        int start = contentAt(encoded, 0);
        int end = contentAt(encoded, start) + length(encoded, start);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(VERSION_0);
        content.write(encoded, start, end - start);
        content.writeBytes(element(OCTET_STRING, key));
        return element(SEQUENCE, content.toByteArray());
    }

    /** The index at which the content of the DER element at {@code at} begins. */
    private static int contentAt(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
    }

    private static int length(byte[] der, int at) {
        int length = 0;
        int first = der[at + 1] & 0xff;
        if (first < 0x80) {
            return first;
        }
        for (int i = 0; i < (first & 0x7f); i++) {
            length = length << 8 | der[at + 2 + i] & 0xff;
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        if (content.length < 0x80) {
            element.write(content.length);
        } else {
            int bytes = content.length < 0x100 ? 1 : content.length < 0x10000 ? 2 : 3;
            element.write(0x80 | bytes);
            for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
                element.write(content.length >> shift);
            }
        }
        element.writeBytes(content);
        return element.toByteArray();
    }

    private static boolean belongTogether(PrivateKey key, PublicKey other) {
        try {
            String algorithm = switch (other.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> other.getAlgorithm();
            };
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(ANYTHING);
            byte[] signed = signature.sign();
            signature.initVerify(other);
            signature.update(ANYTHING);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}

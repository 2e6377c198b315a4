package io.evenkeel.access;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Issues certificates for tests. */
public final class TestAuthority {
    private static final AtomicLong SERIAL = new AtomicLong(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final KeyPair keys;
    private final X509Certificate certificate;

    /** A certificate with its key. */
    public record Issued(X509Certificate certificate, PrivateKey key) {
        public String certificatePem() {
            return pem(certificate);
        }

        /** In PKCS #8. */
        public String keyPem() {
            try {
                return pem(new JcaPKCS8Generator(key, null));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** In the form that precedes PKCS #8. */
        public String oldKeyPem() {
            return pem(key);
        }
    }

    /** A new, self-signed authority. */
    public TestAuthority(String name) {
        keys = keys("EC");
        Instant now = Instant.now();
        certificate = sign(
                name, keys, name, keys.getPrivate(), now.minus(HOUR), now.plus(Duration.ofDays(30)), true, List.of());
    }

    private TestAuthority(KeyPair keys, X509Certificate certificate) {
        this.keys = keys;
        this.certificate = certificate;
    }

    /** An authority whose certificate is signed by this one and valid until {@code end}. */
    TestAuthority intermediate(String name, Instant end) {
        KeyPair own = keys("EC");
        return new TestAuthority(
                own, sign(name(), own, name, keys.getPrivate(), end.minus(HOUR.multipliedBy(2)), end, true, List.of()));
    }

    X509Certificate certificate() {
        return certificate;
    }

    private String name() {
        return certificate.getSubjectX500Principal().getName().substring("CN=".length());
    }

    /** The authority's own certificate. */
    public String pem() {
        return pem(certificate);
    }

    public static KeyPair keys(String algorithm) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (algorithm.equals("EC")) {
                generator.initialize(new ECGenParameterSpec("secp256r1"));
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A certificate that is valid for an hour and for these hosts. */
    public Issued issue(String name, String... hosts) {
        return issue(name, keys("EC"), Instant.now().plus(HOUR), hosts);
    }

    /** A certificate that expires at {@code end}. */
    public Issued issue(String name, KeyPair own, Instant end, String... hosts) {
        X509Certificate issued =
                sign(name(), own, name, keys.getPrivate(), end.minus(HOUR.multipliedBy(2)), end, false, List.of(hosts));
        return new Issued(issued, own.getPrivate());
    }

    private static X509Certificate sign(
            String issuer,
            KeyPair subjectKeys,
            String subject,
            PrivateKey by,
            Instant from,
            Instant to,
            boolean isAuthority,
            List<String> hosts) {
        try {
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    new X500Principal("CN=" + issuer),
                    BigInteger.valueOf(SERIAL.getAndIncrement()),
                    Date.from(from),
                    Date.from(to),
                    new X500Principal("CN=" + subject),
                    subjectKeys.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
            if (!hosts.isEmpty()) {
                GeneralName[] names = hosts.stream()
                        .map(host -> new GeneralName(
                                host.startsWith("spiffe:")
                                        ? GeneralName.uniformResourceIdentifier
                                        : Character.isDigit(host.charAt(0))
                                                ? GeneralName.iPAddress
                                                : GeneralName.dNSName,
                                host))
                        .toArray(GeneralName[]::new);
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(by)));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }
}

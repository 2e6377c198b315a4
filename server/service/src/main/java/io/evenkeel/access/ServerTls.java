package io.evenkeel.access;

import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The server's certificate and the client CA certificates. Both can be reloaded while the server runs; new connections
 * use the latest. Thread-safe.
 */
final class ServerTls {
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager trust;
    private final boolean asksClients;
    private volatile @Nullable X509TrustManager clients;
    private volatile Instant expires = Instant.MAX;
    private volatile Instant clientCaExpires = Instant.MAX;

    ServerTls(boolean asksClients) {
        this.asksClients = asksClients;
        try {
            trust = AdvancedTlsX509TrustManager.newBuilder()
                    .setVerification(AdvancedTlsX509TrustManager.Verification.CERTIFICATE_ONLY_VERIFICATION)
                    .build();
        } catch (CertificateException e) {
            throw new IllegalStateException("a trust manager without certificates", e);
        }
    }

    /** Watches the certificate and its key. */
    WatchedFiles identity(Path certificate, Path key) throws IOException {
        return new WatchedFiles("--tls-cert, --tls-key", List.of(certificate, key), contents -> {
            List<X509Certificate> chain = PemKeys.certificates(contents.get(0));
            PrivateKey secret = PemKeys.key(contents.get(1), chain.get(0));
            keys.updateIdentityCredentials(chain.toArray(new X509Certificate[0]), secret);
            expires = soonest(chain);
        });
    }

    /** Watches the client CA certificates. */
    WatchedFiles authorities(Path file) throws IOException {
        return new WatchedFiles("--client-ca", List.of(file), contents -> {
            List<X509Certificate> issuers = PemKeys.certificates(contents.get(0));
            try {
                clients = judge(issuers);
                trust.updateTrustCredentials(issuers.toArray(new X509Certificate[0]));
            } catch (GeneralSecurityException e) {
                throw new FileFormatException("cannot be used: " + e.getMessage());
            }
            clientCaExpires = soonest(issuers);
        });
    }

    private static Instant soonest(List<X509Certificate> certificates) {
        return certificates.stream()
                .map(each -> each.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElse(Instant.MAX);
    }

    /** A client certificate is optional: a client may have a token, or only check the server's health. */
    ServerCredentials credentials() {
        TlsServerCredentials.Builder credentials =
                TlsServerCredentials.newBuilder().keyManager(keys);
        if (asksClients) {
            credentials.trustManager(trust).clientAuth(TlsServerCredentials.ClientAuth.OPTIONAL);
        }
        return credentials.build();
    }

    /** Whether clients may have certificates. */
    boolean asksClients() {
        return asksClients;
    }

    /** For HTTPS, with the same certificate, to clients that need none. */
    SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    /** Whether a client's certificate is accepted now. This may have changed since it connected. */
    boolean accepts(X509Certificate[] chain) {
        X509TrustManager judge = clients;
        if (judge == null) {
            return false;
        }
        try {
            judge.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }

    private static X509TrustManager judge(List<X509Certificate> issuers) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < issuers.size(); i++) {
            store.setCertificateEntry(String.valueOf(i), issuers.get(i));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return (X509TrustManager) factory.getTrustManagers()[0];
    }

    Instant expires() {
        return expires;
    }

    Instant clientCaExpires() {
        return clientCaExpires;
    }
}

package io.evenkeel.kube;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.kube.client.ConfigurationException;
import io.evenkeel.kube.client.Envelope;
import io.evenkeel.kube.client.KubeClient;
import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import java.io.IOException;
import java.time.Duration;

/** Reads single claims and volumes from an API server. */
public final class StorageReader implements AutoCloseable {
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final Parser<PersistentVolumeClaim> CLAIM =
            DiscardUnknownFieldsParser.wrap(PersistentVolumeClaim.parser());
    private static final Parser<PersistentVolume> VOLUME = DiscardUnknownFieldsParser.wrap(PersistentVolume.parser());

    private final KubeClient client;

    /** Does not connect yet. */
    public StorageReader(ClusterAccess access) throws ConfigurationException {
        client = access.withSilence(SILENCE).open();
    }

    /**
     * Reads a claim.
     *
     * @throws io.evenkeel.kube.client.ApiException if there is no such claim, or the credentials do not allow to read
     *     it
     */
    public PersistentVolumeClaim claim(String namespace, String name) throws IOException, InterruptedException {
        return read(
                "namespaces/" + ApiResource.encoded(namespace) + "/persistentvolumeclaims/" + ApiResource.encoded(name),
                CLAIM);
    }

    /**
     * Reads a volume.
     *
     * @throws io.evenkeel.kube.client.ApiException if there is no such volume, or the credentials do not allow to read
     *     it
     */
    public PersistentVolume volume(String name) throws IOException, InterruptedException {
        return read("persistentvolumes/" + ApiResource.encoded(name), VOLUME);
    }

    private <T extends Message> T read(String path, Parser<T> parser) throws IOException, InterruptedException {
        byte[] bytes = client.get("/api/v1/" + path, PagedList.PROTOBUF);
        Envelope.Place object = Envelope.open(bytes, 0, bytes.length);
        return parser.parseFrom(bytes, object.from(), object.to() - object.from());
    }

    @Override
    public void close() {
        client.close();
    }
}

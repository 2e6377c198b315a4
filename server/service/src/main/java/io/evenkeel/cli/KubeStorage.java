package io.evenkeel.cli;

import io.evenkeel.kube.StorageReader;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.manifest.Storage;
import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import java.io.IOException;
import java.io.InterruptedIOException;

/** The claims and volumes of an API server, each read when it is asked for. */
record KubeStorage(ClusterAccess access) implements Storage {
    private interface Read<T> {
        T by(StorageReader reader) throws IOException, InterruptedException;
    }

    @Override
    public PersistentVolumeClaim claim(String namespace, String name) throws IOException {
        return read(reader -> reader.claim(namespace, name));
    }

    @Override
    public PersistentVolume volume(String name) throws IOException {
        return read(reader -> reader.volume(name));
    }

    private <T> T read(Read<T> what) throws IOException {
        try (StorageReader reader = new StorageReader(access)) {
            return what.by(reader);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}

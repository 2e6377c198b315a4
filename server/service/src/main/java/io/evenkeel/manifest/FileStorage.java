package io.evenkeel.manifest;

import com.google.protobuf.Message;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The claims and volumes that were read from files. */
public final class FileStorage implements Storage {
    private final Map<String, PersistentVolumeClaim> claims = new HashMap<>();
    private final Map<String, PersistentVolume> volumes = new HashMap<>();

    /** Keeps a claim or a volume. Ignores other objects. */
    public void look(Message object) {
        if (object instanceof PersistentVolumeClaim claim) {
            ObjectMeta metadata = claim.getMetadata();
            claims.put(metadata.getNamespace() + "/" + metadata.getName(), claim);
        } else if (object instanceof PersistentVolume volume) {
            volumes.put(volume.getMetadata().getName(), volume);
        }
    }

    @Override
    public @Nullable PersistentVolumeClaim claim(String namespace, String name) {
        return claims.get(namespace + "/" + name);
    }

    @Override
    public @Nullable PersistentVolume volume(String name) {
        return volumes.get(name);
    }
}

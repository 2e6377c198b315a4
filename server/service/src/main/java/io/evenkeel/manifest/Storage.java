package io.evenkeel.manifest;

import io.evenkeel.v1.PersistentVolume;
import io.evenkeel.v1.PersistentVolumeClaim;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The claims and volumes of a cluster. */
public interface Storage {
    /** The claim; null if the source does not contain it. */
    @Nullable
    PersistentVolumeClaim claim(String namespace, String name) throws IOException;

    /** The volume; null if the source does not contain it. */
    @Nullable
    PersistentVolume volume(String name) throws IOException;
}

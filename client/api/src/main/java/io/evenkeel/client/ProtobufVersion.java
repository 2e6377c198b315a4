package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.RuntimeVersion;
import java.security.CodeSource;

/** Checks the version of protobuf-java, because the messages cannot be loaded with an older one. For the clients. */
public final class ProtobufVersion {
    /** The compiler copies the constants, so this is the version that the messages were generated for. */
    static final String NEEDED = RuntimeVersion.MAJOR + "." + RuntimeVersion.MINOR + "." + RuntimeVersion.PATCH;

    private ProtobufVersion() {}

    /**
     * Checks that the messages can be loaded.
     *
     * @throws IllegalStateException if protobuf-java is too old
     */
    public static void check() {
        try {
            RuntimeVersion.validateProtobufGencodeVersion(
                    RuntimeVersion.RuntimeDomain.PUBLIC,
                    RuntimeVersion.MAJOR,
                    RuntimeVersion.MINOR,
                    RuntimeVersion.PATCH,
                    RuntimeVersion.SUFFIX,
                    "Evenkeel");
        } catch (RuntimeException | LinkageError e) {
            // Not a narrower type: older versions do not have the classes.
            CodeSource jar = MessageLite.class.getProtectionDomain().getCodeSource();
            throw new IllegalStateException(
                    "protobuf-java must be at least version " + NEEDED + ", was "
                            + (jar == null ? "an older one" : jar.getLocation())
                            + "; set this version in the dependencyManagement of your build",
                    e);
        }
    }
}

package io.evenkeel.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version that the manifest of the jar names that this class is in, whichever commands it holds. */
final class JarVersion implements IVersionProvider {
    JarVersion() {}

    @Override
    public String[] getVersion() {
        String version = JarVersion.class.getPackage().getImplementationVersion();
        return new String[] {"evenkeel " + Objects.requireNonNullElse(version, "(not from a jar)")};
    }
}

package io.evenkeel.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Provides the version for {@code --version}, from the manifest of the jar that contains this class. */
final class JarVersion implements IVersionProvider {
    JarVersion() {}

    @Override
    public String[] getVersion() {
        String version = JarVersion.class.getPackage().getImplementationVersion();
        return new String[] {"evenkeel " + Objects.requireNonNullElse(version, "(not from a jar)")};
    }
}

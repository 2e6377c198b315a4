package io.evenkeel.loadtest;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest names. */
final class JarVersion implements IVersionProvider {
    JarVersion() {}

    @Override
    public String[] getVersion() {
        String version = JarVersion.class.getPackage().getImplementationVersion();
        return new String[] {"evenkeel " + Objects.requireNonNullElse(version, "(not from a jar)")};
    }
}

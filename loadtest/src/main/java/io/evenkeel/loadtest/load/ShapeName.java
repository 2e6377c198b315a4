package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.cluster.IncomingShape;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the names of incoming pods' shapes, such as {@code hard-zone}. */
final class ShapeName implements ITypeConverter<IncomingShape> {
    @Override
    public IncomingShape convert(String text) {
        return Arrays.stream(IncomingShape.values())
                .filter(shape -> of(shape).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("must be one of "
                        + Arrays.stream(IncomingShape.values())
                                .map(ShapeName::of)
                                .collect(Collectors.joining(", "))
                        + ", was '" + text + "'"));
    }

    static String of(IncomingShape shape) {
        return shape.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

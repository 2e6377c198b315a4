package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactoryBuilder;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ImplicitTuple;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;

/** A YAML parser that also knows the anchors of scalars, and replaces aliases of scalars that are names of fields. */
final class AnchorParser extends YAMLParser {
    private @Nullable String anchor;

    /** The anchored scalars of the document. */
    private final Map<String, ScalarEvent> scalars = new HashMap<>();

    /** Creates such parsers. */
    static final class Factory extends YAMLFactory {
        private static final long serialVersionUID = 1;

        Factory(YAMLFactoryBuilder options) {
            super(options);
        }

        @Override
        protected YAMLParser _createParser(InputStream text, IOContext context) throws IOException {
            return _createParser(_createReader(text, null, context), context);
        }

        @Override
        protected YAMLParser _createParser(Reader text, IOContext context) throws IOException {
            return new AnchorParser(context, _parserFeatures, _yamlParserFeatures, _loaderOptions, _objectCodec, text);
        }
    }

    private AnchorParser(
            IOContext context,
            int features,
            int yamlFeatures,
            LoaderOptions options,
            @Nullable ObjectCodec codec,
            Reader text) {
        super(context, features, yamlFeatures, options, codec, text);
    }

    @Override
    protected Event getEvent() throws IOException {
        Event event = super.getEvent();
        anchor = event instanceof NodeEvent node ? node.getAnchor() : null;
        if (event instanceof DocumentStartEvent) {
            scalars.clear();
        } else if (event instanceof AliasEvent) {
            ScalarEvent scalar = isAtName() ? scalars.get(anchor) : null;
            return scalar == null ? event : named(scalar.getValue(), event);
        } else if (anchor != null) {
            if (event instanceof ScalarEvent scalar) {
                scalars.put(anchor, scalar);
            } else {
                scalars.remove(anchor);
            }
        }
        return event;
    }

    private boolean isAtName() {
        return getParsingContext().inObject() && currentToken() != JsonToken.FIELD_NAME;
    }

    private static ScalarEvent named(String name, Event alias) {
        return new ScalarEvent(
                null,
                null,
                new ImplicitTuple(true, false),
                name,
                alias.getStartMark(),
                alias.getEndMark(),
                DumperOptions.ScalarStyle.PLAIN);
    }

    /** The anchor of the current token; null if it has none. */
    @Nullable
    String anchor() {
        return anchor;
    }
}

package io.evenkeel.manifest;

import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactoryBuilder;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;

/** A YAML parser that also knows the anchors of scalars. */
final class AnchorParser extends YAMLParser {
    private @Nullable String anchor;

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
        return event;
    }

    /** The anchor of the current token; null if it has none. */
    @Nullable
    String anchor() {
        return anchor;
    }
}

package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.objects.DefaultConstraintsTranslator;
import io.evenkeel.objects.FieldPath;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.objects.Quotes;
import io.evenkeel.objects.SimilarNames;
import io.evenkeel.objects.Violations;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the cluster-level default constraints from a KubeSchedulerConfiguration file
 * ({@code kubescheduler.config.k8s.io/v1}, YAML or JSON): the PodTopologySpreadArgs of each profile. The rest of the
 * file is skipped. Rules and defaults are those of kube-scheduler's {@code SetDefaults_PodTopologySpreadArgs} and
 * {@code ValidatePodTopologySpreadArgs}.
 */
public final class SchedulerConfiguration {
    private static final String API_VERSION = "kubescheduler.config.k8s.io/v1";
    private static final String KIND = "KubeSchedulerConfiguration";
    private static final String DEFAULT_PROFILE = "default-scheduler";
    private static final String PLUGIN = "PodTopologySpread";
    private static final String ARGS_KIND = "PodTopologySpreadArgs";
    private static final List<String> FIELDS = List.of("apiVersion", "kind", "profiles");
    private static final List<String> FIELDS_OF_PROFILE = List.of("schedulerName", "pluginConfig");
    private static final List<String> FIELDS_OF_PLUGIN = List.of("name", "args");
    private static final List<String> FIELDS_OF_ARGS =
            List.of("apiVersion", "kind", "defaultingType", "defaultConstraints");

    private final TokenReader input;
    private final Map<String, SpreadDefaults> byProfile = new LinkedHashMap<>();

    private SchedulerConfiguration(TokenReader input) {
        this.input = input;
    }

    /**
     * The default constraints of each profile, by the profile's {@code schedulerName}, in the order of the file.
     *
     * @throws ObjectFormatException if the file is malformed or kube-scheduler would reject it; the message names the
     *     file and the field
     * @throws IOException if it cannot be read
     */
    public static Map<String, SpreadDefaults> read(Path file) throws IOException {
        return read(Files.newInputStream(file), file.toString());
    }

    /** Reads the configuration in {@code input} and closes it. Error messages call it {@code source}. */
    public static Map<String, SpreadDefaults> read(InputStream input, String source) throws IOException {
        try (TokenReader tokens = TokenReader.open(input, source)) {
            SchedulerConfiguration configuration = new SchedulerConfiguration(tokens);
            configuration.readDocument();
            return configuration.byProfile;
        }
    }

    private void readDocument() throws IOException {
        JsonToken token = input.next();
        while (token == null && !input.isAtEnd()) {
            token = input.next();
        }
        input.expectObject();
        String apiVersion = "";
        String kind = "";
        for (String name = input.nextField(); name != null; name = input.nextField()) {
            switch (name) {
                case "apiVersion" -> apiVersion = input.string();
                case "kind" -> kind = input.string();
                case "profiles" -> readProfiles();
                default -> skip(name, FIELDS);
            }
        }
        require("apiVersion", API_VERSION, apiVersion);
        require("kind", KIND, kind);
        while (!input.isAtEnd()) {
            if (input.next() != null) {
                throw input.problem("there must be only one document");
            }
        }
        if (byProfile.isEmpty()) {
            byProfile.put(DEFAULT_PROFILE, SpreadDefaults.SYSTEM);
        }
    }

    /**
     * Skips a field that is not needed. A name similar to that of a needed field is rejected, because kube-scheduler
     * rejects unknown fields.
     */
    private void skip(String name, List<String> needed) throws IOException {
        String near = SimilarNames.nearest(name, needed);
        if (near != null) {
            throw input.wrong("is unknown: there is no such field" + SimilarNames.question(near));
        }
        input.skipValue();
    }

    private void require(String field, String expected, String was) throws ObjectFormatException {
        if (!was.equals(expected)) {
            throw input.wrong(FieldPath.ROOT.field(field), "must be " + expected + ", was " + Quotes.quoted(was));
        }
    }

    private void readProfiles() throws IOException {
        if (input.isAt(JsonToken.VALUE_NULL)) {
            return;
        }
        input.expectList();
        int unnamed = 0;
        while (input.nextElement()) {
            input.expectObject();
            String schedulerName = "";
            SpreadDefaults defaults = SpreadDefaults.SYSTEM;
            for (String name = input.nextField(); name != null; name = input.nextField()) {
                if (name.equals("schedulerName")) {
                    schedulerName = input.isAt(JsonToken.VALUE_NULL) ? "" : input.string();
                } else if (name.equals("pluginConfig")) {
                    defaults = readPluginConfig();
                } else {
                    skip(name, FIELDS_OF_PROFILE);
                }
            }
            if (schedulerName.isEmpty()) {
                schedulerName = DEFAULT_PROFILE;
                unnamed++;
            }
            FieldPath nameField = input.path().field("schedulerName");
            if (byProfile.put(schedulerName, defaults) != null) {
                throw input.wrong(
                        nameField, "is already used by an earlier profile, was " + Quotes.quoted(schedulerName));
            }
            if (unnamed > 0 && byProfile.size() > 1) {
                throw input.wrong(nameField, "must not be missing if there are several profiles");
            }
        }
    }

    /** Reads the default constraints from the plugin configurations of a profile. */
    private SpreadDefaults readPluginConfig() throws IOException {
        SpreadDefaults defaults = SpreadDefaults.SYSTEM;
        if (input.isAt(JsonToken.VALUE_NULL)) {
            return defaults;
        }
        input.expectList();
        Set<String> plugins = new HashSet<>();
        while (input.nextElement()) {
            input.expectObject();
            FieldPath path = input.path();
            String plugin = "";
            DeferredFields args = null;
            for (Token field = input.nextFieldToken(); field != null; field = input.nextFieldToken()) {
                String name = field.text();
                if (name.equals("name")) {
                    plugin = input.string();
                } else if (name.equals("args")) {
                    // Programs write the fields in alphabetical order, so the arguments precede the plugin's name.
                    args = new DeferredFields(input, path);
                    args.add(field);
                } else {
                    skip(name, FIELDS_OF_PLUGIN);
                }
            }
            if (!plugins.add(plugin)) {
                throw input.wrong(
                        path.field("name"), "is already used by an earlier plugin, was " + Quotes.quoted(plugin));
            }
            if (plugin.equals(PLUGIN) && args != null) {
                defaults = readArgs(args.replay());
            }
        }
        return defaults;
    }

    private SpreadDefaults readArgs(TokenReader args) throws IOException {
        args.nextField();
        FieldPath path = args.path();
        if (args.isAt(JsonToken.VALUE_NULL)) {
            return SpreadDefaults.SYSTEM;
        }
        args.expectObject();
        String type = "";
        List<TopologySpreadConstraint> constraints = List.of();
        for (String name = args.nextField(); name != null; name = args.nextField()) {
            switch (name) {
                case "apiVersion" -> requireArgs(args, API_VERSION);
                case "kind" -> requireArgs(args, ARGS_KIND);
                case "defaultingType" -> type = args.isAt(JsonToken.VALUE_NULL) ? "" : args.string();
                case "defaultConstraints" -> constraints = readConstraints(args);
                default ->
                    throw args.wrong("is unknown: there is no such field"
                            + SimilarNames.question(SimilarNames.nearest(name, FIELDS_OF_ARGS)));
            }
        }
        Violations violations = new Violations();
        SpreadDefaults defaults =
                DefaultConstraintsTranslator.translate(type, constraints, path, PodLimits.DEFAULT, violations);
        if (!violations.isEmpty()) {
            throw args.problem(violations.message());
        }
        return defaults;
    }

    private static void requireArgs(TokenReader args, String expected) throws IOException {
        String was = args.string();
        if (!was.equals(expected)) {
            throw args.wrong("must be " + expected + ", was " + Quotes.quoted(was));
        }
    }

    private static List<TopologySpreadConstraint> readConstraints(TokenReader args) throws IOException {
        List<TopologySpreadConstraint> constraints = new ArrayList<>();
        if (args.isAt(JsonToken.VALUE_NULL)) {
            return constraints;
        }
        args.expectList();
        MessageFiller filler = new MessageFiller(args, true);
        while (args.nextElement()) {
            args.expectObject();
            TopologySpreadConstraint.Builder constraint = TopologySpreadConstraint.newBuilder();
            filler.fill(constraint);
            constraints.add(constraint.build());
        }
        return constraints;
    }
}

package io.evenkeel.access;

import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads the file with the permissions of callers. It is YAML:
 *
 * <pre>
 * rules:
 *   - token: scheduler                              # a name in the token file
 *     may: [ask, reserve]
 *   - certificate: feeder.shop.example              # a name in a client's certificate
 *     may: [feed]
 *   - user: system:serviceaccount:shop:descheduler  # from a token that Kubernetes knows; or group: NAME
 *     may: [ask]
 *   - socket: /run/evenkeel.sock                    # everyone who can open it
 *     may: [ask]
 * </pre>
 */
final class AccessFile {
    private static final String RULES = "rules";
    private static final String MAY = "may";

    private AccessFile() {}

    static AccessRules read(byte[] bytes) throws FileFormatException {
        Map<Subject, Set<Right>> rights = new HashMap<>();
        List<NodeTuple> top = mapping(root(bytes), "the file");
        Set<String> known = new HashSet<>();
        for (NodeTuple field : top) {
            String name = text(field.getKeyNode(), "a field");
            requireOnce(known, name, name, field.getKeyNode());
            if (!name.equals(RULES)) {
                throw at(field.getKeyNode(), name, "is unknown: the only field is " + RULES);
            }
            List<Node> rules = list(field.getValueNode(), RULES);
            for (int i = 0; i < rules.size(); i++) {
                readRule(rules.get(i), RULES + "[" + i + "]", rights);
            }
        }
        if (top.isEmpty()) {
            throw new FileFormatException(1, RULES + " must not be missing");
        }
        return AccessRules.of(rights);
    }

    private static Node root(byte[] bytes) throws FileFormatException {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(0);
        Node root;
        try {
            root = new Yaml(new SafeConstructor(options))
                    .compose(new InputStreamReader(new ByteArrayInputStream(bytes), StandardCharsets.UTF_8));
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw new FileFormatException(line, "is not valid YAML: " + e.getProblem());
        } catch (YAMLException | IllegalArgumentException e) {
            // The second is thrown for a tag that begins or ends with a space.
            throw new FileFormatException(1, "is not valid YAML: " + e.getMessage());
        }
        if (root == null) {
            throw new FileFormatException(1, RULES + " must not be missing");
        }
        return root;
    }

    private static void readRule(Node rule, String path, Map<Subject, Set<Right>> rights) throws FileFormatException {
        Subject subject = null;
        Set<Right> may = null;
        Set<String> known = new HashSet<>();
        for (NodeTuple field : mapping(rule, path)) {
            String name = text(field.getKeyNode(), path);
            String at = path + "." + name;
            requireOnce(known, name, at, field.getKeyNode());
            if (name.equals(MAY)) {
                may = readRights(field.getValueNode(), at);
                continue;
            }
            Subject.Kind kind = kind(name);
            if (kind == null) {
                throw at(field.getKeyNode(), at, "is unknown: fields are " + kinds() + " and " + MAY);
            }
            if (subject != null) {
                throw at(
                        field.getKeyNode(),
                        at,
                        "cannot be combined with " + subject.kind().field());
            }
            String value = text(field.getValueNode(), at);
            if (value.isEmpty()) {
                throw at(field.getValueNode(), at, "must not be empty");
            }
            subject = new Subject(kind, value);
        }
        if (subject == null) {
            throw at(rule, path, "must have one of " + kinds());
        }
        if (may == null) {
            throw at(rule, path + "." + MAY, "must not be missing");
        }
        rights.computeIfAbsent(subject, any -> EnumSet.noneOf(Right.class)).addAll(may);
    }

    private static void requireOnce(Set<String> known, String name, String path, Node key) throws FileFormatException {
        if (!known.add(name)) {
            throw at(key, path, "is given twice");
        }
    }

    private static Set<Right> readRights(Node node, String path) throws FileFormatException {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        List<Node> all = list(node, path);
        for (int i = 0; i < all.size(); i++) {
            String at = path + "[" + i + "]";
            String name = text(all.get(i), at);
            Right right = right(name);
            if (right == null) {
                throw at(
                        all.get(i),
                        at,
                        "must be one of "
                                + Arrays.stream(Right.values()).map(Right::text).collect(Collectors.joining(", "))
                                + ", was '" + name + "'");
            }
            rights.add(right);
        }
        return rights;
    }

    private static @Nullable Right right(String name) {
        return Arrays.stream(Right.values())
                .filter(right -> right.text().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static Subject.@Nullable Kind kind(String name) {
        return Arrays.stream(Subject.Kind.values())
                .filter(kind -> kind.field().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static String kinds() {
        return Arrays.stream(Subject.Kind.values()).map(Subject.Kind::field).collect(Collectors.joining(", "));
    }

    private static List<NodeTuple> mapping(Node node, String path) throws FileFormatException {
        if (node instanceof MappingNode mapping) {
            return mapping.getValue();
        }
        throw at(node, path, "must be a mapping");
    }

    private static List<Node> list(Node node, String path) throws FileFormatException {
        if (node instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        throw at(node, path, "must be a list");
    }

    private static String text(Node node, String path) throws FileFormatException {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue();
        }
        throw at(node, path, "must be a string");
    }

    private static FileFormatException at(Node node, String path, String problem) {
        return new FileFormatException(node.getStartMark().getLine() + 1, path + " " + problem);
    }
}

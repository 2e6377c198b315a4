package io.evenkeel.commands;

import com.google.protobuf.Message;
import io.evenkeel.cli.ClusterInput;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.cli.Paragraphs;
import io.evenkeel.manifest.ObjectFormatException;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.manifest.PodManifest;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.Pod;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A value of {@code --group}.
 *
 * @param max the most nodes to add; 0 if not given
 * @param price what a node costs; 0 if not given
 */
record GroupOption(String name, String file, int max, int price) {
    private static final Pattern FORM = Pattern.compile("([^=,]+)=([^,]+)((?:,[^,]*)*)");
    private static final Pattern EXTRA = Pattern.compile("(max|price)=([1-9]\\d{0,8})");

    /** Reads {@code NAME=FILE[,max=N][,price=P]}. */
    static final class Converter implements ITypeConverter<GroupOption> {
        @Override
        public GroupOption convert(String value) {
            Matcher form = FORM.matcher(value);
            if (!form.matches()) {
                throw new TypeConversionException("must be NAME=FILE[,max=N][,price=P], was '" + value + "'");
            }
            int max = 0;
            int price = 0;
            for (String extra : form.group(3).isEmpty()
                    ? new String[0]
                    : form.group(3).substring(1).split(",", -1)) {
                Matcher known = EXTRA.matcher(extra);
                if (!known.matches()) {
                    throw new TypeConversionException(
                            "must have only max=N and price=P after the file, with numbers of at least 1, had '" + extra
                                    + "'");
                }
                int number = Integer.parseInt(known.group(2));
                max = known.group(1).equals("max") ? number : max;
                price = known.group(1).equals("price") ? number : price;
            }
            return new GroupOption(form.group(1), form.group(2), max, price);
        }
    }

    /** The group, with the template and the DaemonSets of its file. */
    NodeGroup read(Consumer<String> warnings) throws IOException {
        NodeTemplate template = NodeTemplate.read(file, warnings);
        return NodeGroup.newBuilder()
                .setName(name)
                .setTemplate(template.node())
                .addAllDaemonPods(template.daemonPods())
                .setMaxCount(max)
                .setPrice(price)
                .build();
    }

    /**
     * What new nodes are like.
     *
     * @param daemonPods the pods that each has from the start
     */
    record NodeTemplate(Node node, List<Pod> daemonPods) {
        /** Reads a file with one Node, and with the Pods and DaemonSets whose pods each new node has. */
        static NodeTemplate read(String file, Consumer<String> warnings) throws IOException {
            String source = ClusterInput.called(file);
            if (file.equals("-")) {
                throw new CommandFailure("the template of a node must be in a file, was standard input");
            }
            // The file may be a pipe, which can be read only once.
            byte[] text = ClusterInput.bytes(file);
            List<Node> nodes = new ArrayList<>();
            List<Pod> pods = new ArrayList<>();
            List<ObjectFormatException> broken = new ArrayList<>();
            try (ObjectReader reader = ObjectReader.of(new ByteArrayInputStream(text), source)) {
                for (Message object = reader.next(); object != null; object = reader.next()) {
                    if (object instanceof Node node) {
                        nodes.add(node);
                    }
                }
                reader.fieldProblems().forEach(problem -> warnings.accept(source + ": " + problem));
            }
            PodManifest.forEach(
                    new ByteArrayInputStream(text), source, manifest -> pods.add(daemonPod(manifest)), broken::add);
            if (!broken.isEmpty()) {
                throw broken.get(0);
            }
            if (nodes.size() != 1) {
                throw new CommandFailure(Paragraphs.printable(
                        source + " must have one Node, the template of new nodes, had " + nodes.size()));
            }
            return new NodeTemplate(nodes.get(0), pods);
        }

        private static Pod daemonPod(PodManifest manifest) {
            Pod pod = manifest.orIn("default").pod();
            Pod.Builder named = pod.toBuilder();
            named.getMetadataBuilder().setName(manifest.title().replaceFirst(".*/", ""));
            return named.build();
        }
    }
}

package io.evenkeel.lab.scheduler;

import java.time.Duration;
import java.util.Locale;

/** The scheduler of a turn, and its plugin. */
enum Side {
    /** The unmodified kube-scheduler. */
    STOCK("stock", "PodTopologySpread"),

    /** kube-scheduler with Evenkeel's plugin and an Evenkeel server. */
    EVENKEEL("with Evenkeel", "EvenkeelTopologySpread"),

    /** The same, but Evenkeel is killed when half of the pods are bound, and restarted later. */
    KILLED("killed half-way", "EvenkeelTopologySpread"),

    /** The same, but the original plugin decides and Evenkeel is only compared with it. */
    SHADOW("in shadow", "EvenkeelTopologySpread"),

    /** In shadow, with one event withheld from Evenkeel, which must be detected. */
    WITHHELD("event withheld", "EvenkeelTopologySpread"),

    /** kube-scheduler with a plugin that plays a recording: the rate of a plugin that costs nothing. */
    RECORDED("recorded", "RecordedTopologySpread"),

    /**
     * The same, but each cycle waits about as long as Evenkeel's plugin does: the rate of a service with this latency
     * that takes no processor time.
     */
    WAITING("recorded, waits 2 ms", "RecordedTopologySpread", Duration.ofMillis(2)),

    /**
     * The same, but each cycle calls an echo over gRPC on a socket and waits for its response: the rate of a local
     * service that computes nothing, watches nothing, and is sent no assumed pods.
     */
    ECHO("recorded, asks an echo", "RecordedTopologySpread"),

    /** The small scheduler of the examples, with the index in its JVM. It has no preemption and no metrics. */
    JVM("small, JVM", "");

    private final String words;
    private final String plugin;
    private final Duration waits;

    Side(String words, String plugin) {
        this(words, plugin, Duration.ZERO);
    }

    Side(String words, String plugin, Duration waits) {
        this.words = words;
        this.plugin = plugin;
        this.waits = waits;
    }

    String words() {
        return words;
    }

    String plugin() {
        return plugin;
    }

    /**
     * Whether it runs with pods of this shape. Shadow comparisons run with all shapes at once, special sides with one
     * shape.
     */
    boolean runs(RaceShape shape) {
        return switch (this) {
            case KILLED -> shape == RaceShape.HARD;
            case SHADOW -> shape == RaceShape.HARD || shape == RaceShape.CHANGE;
            case JVM -> !shape.hasChurn();
            case WITHHELD -> shape == RaceShape.CHANGE;
            default -> shape != RaceShape.CHANGE;
        };
    }

    /** Whether the scheduler uses an Evenkeel server. */
    boolean asksEvenkeel() {
        return plugin.equals(EVENKEEL.plugin);
    }

    /** Whether it plays a recording. Its verdicts come from a different history. */
    boolean isRecorded() {
        return plugin.equals(RECORDED.plugin);
    }

    /** How long the recorded plugin waits in each cycle of a pod with constraints. */
    Duration waits() {
        return waits;
    }

    /** Whether the original plugin decides. */
    boolean isShadow() {
        return this == SHADOW || this == WITHHELD;
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

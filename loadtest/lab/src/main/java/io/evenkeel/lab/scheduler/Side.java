package io.evenkeel.lab.scheduler;

import java.time.Duration;
import java.util.Locale;

/** Who binds the pods of a turn, and with which plugin. */
enum Side {
    /** kube-scheduler as it is. */
    STOCK("stock", "PodTopologySpread"),

    /** kube-scheduler with Evenkeel's plugin, and an Evenkeel beside it. */
    EVENKEEL("with Evenkeel", "EvenkeelTopologySpread"),

    /** The same, where Evenkeel is killed when half of the pods are bound, and started again later. */
    KILLED("killed half-way", "EvenkeelTopologySpread"),

    /** The same, where the original plugin decides and Evenkeel is only compared with it. */
    SHADOW("in shadow", "EvenkeelTopologySpread"),

    /** In shadow, where one event is withheld from Evenkeel, which must be found. */
    WITHHELD("event withheld", "EvenkeelTopologySpread"),

    /** kube-scheduler with a plugin that plays what was recorded beforehand: what one that costs nothing reaches. */
    RECORDED("recorded", "RecordedTopologySpread"),

    /**
     * The same, waiting in each cycle about as long as Evenkeel's plugin: what a service that takes no processor time
     * reaches, if it answers so late.
     */
    WAITING("recorded, waits 2 ms", "RecordedTopologySpread", Duration.ofMillis(2)),

    /**
     * The same, asking an echo in each cycle, over gRPC on a socket, and waiting for its answer: what a service beside
     * the scheduler reaches that works nothing out, follows nothing, and is told of no pod.
     */
    ECHO("recorded, asks an echo", "RecordedTopologySpread"),

    /** The small scheduler of the examples, with the index in its JVM. It does not preempt, and has no metrics. */
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

    /** Whether it runs with pods of this shape: comparisons are for all shapes at once, what is special for one. */
    boolean runs(RaceShape shape) {
        return switch (this) {
            case KILLED -> shape == RaceShape.HARD;
            case SHADOW -> shape == RaceShape.HARD || shape == RaceShape.CHANGE;
            case JVM -> !shape.hasChurn();
            case WITHHELD -> shape == RaceShape.CHANGE;
            default -> shape != RaceShape.CHANGE;
        };
    }

    /** Whether there is an Evenkeel beside the scheduler. */
    boolean asksEvenkeel() {
        return plugin.equals(EVENKEEL.plugin);
    }

    /** Whether it plays what was recorded beforehand. Its verdicts are of another history. */
    boolean isRecorded() {
        return plugin.equals(RECORDED.plugin);
    }

    /** How long a plugin that plays what was recorded waits in each cycle of a pod with constraints. */
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

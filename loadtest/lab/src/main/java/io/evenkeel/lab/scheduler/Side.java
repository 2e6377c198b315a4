package io.evenkeel.lab.scheduler;

import java.util.Locale;
import java.util.Set;

/** The scheduler of a turn, and its plugin. */
enum Side {
    /** The unmodified kube-scheduler. */
    STOCK("stock", "PodTopologySpread"),

    /** kube-scheduler with Evenkeel's plugin and an Evenkeel server. */
    EVENKEEL("with Evenkeel", "EvenkeelTopologySpread"),

    /** The same, but everything that the API server sends to the scheduler arrives 50 ms later. */
    LAGGING("50 ms behind", "EvenkeelTopologySpread"),

    /** The same, but Evenkeel is killed when half of the pods are bound, and restarted later. */
    KILLED("killed half-way", "EvenkeelTopologySpread"),

    /** The same, but the original plugin decides and Evenkeel is only compared with it. */
    SHADOW("in shadow", "EvenkeelTopologySpread"),

    /** The same, but Evenkeel decides and each of its answers is compared with the original plugin's. */
    AUDITED("audited", "EvenkeelTopologySpread"),

    /** kube-scheduler with a plugin that keeps counts in the scheduler's own process. */
    INCREMENTAL("counting in process", "IncrementalTopologySpread"),

    /** kube-scheduler with a plugin that plays a recording: the rate of a plugin that costs nothing. */
    RECORDED("recorded", "RecordedTopologySpread");

    /** How much later what the API server sends arrives with {@link #LAGGING}. */
    static final long LAG_MILLIS = 50;

    private final String words;
    private final String plugin;

    Side(String words, String plugin) {
        this.words = words;
        this.plugin = plugin;
    }

    String words() {
        return words;
    }

    String plugin() {
        return plugin;
    }

    /**
     * Whether it runs with pods of this shape. Comparisons run with all shapes at once, special sides with one shape.
     */
    boolean runs(RaceShape shape) {
        return switch (this) {
            case KILLED -> shape == RaceShape.HARD;
            case SHADOW, AUDITED -> shape == RaceShape.HARD || shape == RaceShape.CHANGE;
            default -> shape != RaceShape.CHANGE;
        };
    }

    /** Whether the scheduler uses an Evenkeel server. */
    boolean asksEvenkeel() {
        return plugin.equals(EVENKEEL.plugin);
    }

    /** The words of the sides on which each of Evenkeel's answers is compared with the original plugin's. */
    static Set<String> comparingAll() {
        return Set.of(SHADOW.words, AUDITED.words);
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

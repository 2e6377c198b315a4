package io.evenkeel.lab.scheduler;

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

    /** kube-scheduler with a plugin that plays a recording: the rate of a plugin that costs nothing. */
    RECORDED("recorded", "RecordedTopologySpread");

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
     * Whether it runs with pods of this shape. Shadow comparisons run with all shapes at once, special sides with one
     * shape.
     */
    boolean runs(RaceShape shape) {
        return switch (this) {
            case KILLED -> shape == RaceShape.HARD;
            case SHADOW -> shape == RaceShape.HARD || shape == RaceShape.CHANGE;
            default -> shape != RaceShape.CHANGE;
        };
    }

    /** Whether the scheduler uses an Evenkeel server. */
    boolean asksEvenkeel() {
        return plugin.equals(EVENKEEL.plugin);
    }

    /** Its name for options. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

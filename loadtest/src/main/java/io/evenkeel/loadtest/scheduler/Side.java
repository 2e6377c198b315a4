package io.evenkeel.loadtest.scheduler;

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

    /** The small scheduler of the examples, with the index in its JVM. It does not preempt, and has no metrics. */
    JVM("small, JVM", "");

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

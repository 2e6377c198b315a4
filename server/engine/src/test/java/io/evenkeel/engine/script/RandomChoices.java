package io.evenkeel.engine.script;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;

/** Makes random choices from a seed: one seed, one sequence. */
public final class RandomChoices {
    private final Random random;

    public RandomChoices(long seed) {
        this.random = new Random(seed);
    }

    public boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** From 0 to {@code bound} - 1. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    public int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    long number() {
        return random.nextLong();
    }

    public <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Each of {@code all} with the given probability, in the same order. */
    public <T> List<T> some(Collection<T> all, double probability) {
        List<T> chosen = new ArrayList<>();
        for (T item : all) {
            if (chance(probability)) {
                chosen.add(item);
            }
        }
        return chosen;
    }
}

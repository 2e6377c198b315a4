package io.evenkeel.loadtest.conformance;

/**
 * The counts of a comparison.
 *
 * @param scenarios how many scenarios were replayed
 * @param answers how many answers were compared
 * @param differences how many answers were not as expected
 * @param refusals how many objects the server rejected
 */
record Outcome(int scenarios, long answers, long differences, long refusals) {
    static final Outcome NONE = new Outcome(0, 0, 0, 0);

    Outcome plus(Outcome other) {
        return new Outcome(
                scenarios + other.scenarios,
                answers + other.answers,
                differences + other.differences,
                refusals + other.refusals);
    }

    String words() {
        String words =
                counted(scenarios, "scenario") + ", " + counted(answers, "answer") + ", " + differences + " differ";
        return refusals == 0 ? words : words + ", " + counted(refusals, "object") + " rejected";
    }

    private static String counted(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}

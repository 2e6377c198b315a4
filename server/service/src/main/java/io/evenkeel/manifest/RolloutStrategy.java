package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * How a Deployment replaces its pods. Percentages are of the replicas: the surge is rounded up, and the unavailable
 * pods are rounded down; if both are 0, one pod may be unavailable ({@code ResolveFenceposts} of
 * kube-controller-manager).
 *
 * @param replicas how many pods there are after a rollout
 * @param recreates whether all old pods end before the first new one begins
 * @param maxSurge a number, or a percentage such as {@code 25%}
 * @param maxUnavailable the same
 */
public record RolloutStrategy(int replicas, boolean recreates, String maxSurge, String maxUnavailable) {
    static final RolloutStrategy DEFAULT = new RolloutStrategy(1, false, "25%", "25%");

    private static final Pattern NUMBER_OR_PERCENTAGE = Pattern.compile("\\d{1,9}%?");

    /** How many pods there may be above the replicas. */
    public int surge() {
        return scaled(maxSurge, 99);
    }

    /** How many of the replicas may be unavailable. */
    public int unavailable() {
        int most = scaled(maxUnavailable, 0);
        return Math.min(replicas, most == 0 && surge() == 0 ? 1 : most);
    }

    private int scaled(String value, int rounding) {
        int end = value.length() - 1;
        return value.endsWith("%")
                ? (int) ((Long.parseLong(value.substring(0, end)) * replicas + rounding) / 100)
                : Integer.parseInt(value);
    }

    /** Whether {@link #read} reads a field of a Deployment's spec. */
    static boolean isField(String name) {
        return name.equals("replicas") || name.equals("strategy");
    }

    /** This strategy with the field of a Deployment's spec that {@code fields} is at. */
    RolloutStrategy read(String name, TokenReader fields) throws IOException {
        if (fields.isAt(JsonToken.VALUE_NULL)) {
            return this;
        }
        if (name.equals("replicas")) {
            long number = fields.integer();
            if (number < 0 || number != (int) number) {
                throw fields.wrong("must be a number of pods, was " + number);
            }
            return new RolloutStrategy((int) number, recreates, maxSurge, maxUnavailable);
        }
        RolloutStrategy read = this;
        fields.expectObject();
        for (String field = fields.nextField(); field != null; field = fields.nextField()) {
            if (field.equals("type") && !fields.isAt(JsonToken.VALUE_NULL)) {
                read = new RolloutStrategy(
                        replicas, fields.string().equals("Recreate"), read.maxSurge, read.maxUnavailable);
            } else if (field.equals("rollingUpdate") && !fields.isAt(JsonToken.VALUE_NULL)) {
                read = read.readRollingUpdate(fields);
            } else {
                fields.skipValue();
            }
        }
        return read;
    }

    private RolloutStrategy readRollingUpdate(TokenReader fields) throws IOException {
        String surge = maxSurge;
        String unavailable = maxUnavailable;
        fields.expectObject();
        for (String field = fields.nextField(); field != null; field = fields.nextField()) {
            if (fields.isAt(JsonToken.VALUE_NULL)) {
                continue;
            }
            switch (field) {
                case "maxSurge" -> surge = numberOrPercentage(fields);
                case "maxUnavailable" -> unavailable = numberOrPercentage(fields);
                default -> fields.skipValue();
            }
        }
        return new RolloutStrategy(replicas, recreates, surge, unavailable);
    }

    private static String numberOrPercentage(TokenReader fields) throws IOException {
        String text = fields.stringOrNumber();
        if (!NUMBER_OR_PERCENTAGE.matcher(text).matches()) {
            throw fields.wrong("must be a number or a percentage, was '" + text + "'");
        }
        return text;
    }
}

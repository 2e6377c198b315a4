package io.evenkeel.operations;

import java.util.List;

/**
 * The outcome of checks, in the format of kube-apiserver's {@code /readyz}.
 *
 * <pre>
 *   [+]node ok
 *   [+]service ok, not fed now
 *   [-]pod failed: the first snapshot is under way
 *   readyz check failed
 * </pre>
 *
 * @param passed whether all checks passed
 * @param lines a line for each check, and one for the overall result
 */
record CheckReport(boolean passed, String lines) {
    /** @param name what the checks are for: {@code livez} or {@code readyz} */
    static CheckReport of(String name, List<Check> checks) {
        StringBuilder lines = new StringBuilder();
        boolean passed = true;
        for (Check check : checks) {
            String fault = check.fault().get();
            passed &= fault == null;
            if (fault == null) {
                String remark = check.remark().get();
                lines.append("[+]" + check.name() + " ok" + (remark.isEmpty() ? "" : ", " + remark) + "\n");
            } else {
                lines.append("[-]" + check.name() + " failed: " + fault + "\n");
            }
        }
        lines.append(name).append(passed ? " check passed\n" : " check failed\n");
        return new CheckReport(passed, lines.toString());
    }

    /** The report, or only {@code ok} if all checks passed and {@code verbose} is false. */
    String text(boolean verbose) {
        return passed && !verbose ? "ok" : lines;
    }
}

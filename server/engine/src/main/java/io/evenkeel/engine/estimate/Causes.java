package io.evenkeel.engine.estimate;

import io.evenkeel.engine.estimate.Unplaced.Cause;
import java.util.ArrayList;
import java.util.List;

/** Finds why the pods that a trial has left are not placed. */
final class Causes {
    private static final int NONE = -1;

    private final Trial trial;
    private final Problem problem;

    private Causes(Trial trial) {
        this.trial = trial;
        problem = trial.ground.problem;
    }

    static List<Unplaced> of(Trial trial) {
        Causes causes = new Causes(trial);
        List<Unplaced> all = new ArrayList<>();
        for (int shape = 0; shape < trial.left.length; shape++) {
            trial.ground.stop.check();
            if (trial.left[shape] > 0) {
                all.add(causes.of(shape));
            }
        }
        return List.copyOf(all);
    }

    private Unplaced of(int shape) {
        Cause cause = closest(shape, NONE, NONE);
        int index = NONE;
        int domain = NONE;
        Cause ofDomain = Cause.NO_NODE;
        if (cause == Cause.SPREAD) {
            index = excluding(shape);
            HardConstraint constraint = problem.shapes().get(shape).constraints.get(index);
            domain = lowest(constraint);
            if (domain != NONE) {
                ofDomain = closest(shape, problem.counted().get(constraint.counted()).key, domain);
            }
        }
        return new Unplaced(shape, trial.left[shape], cause, index, domain, ofDomain);
    }

    /** The cause of the node that comes closest to taking a pod, of all nodes or of those of a domain. */
    private Cause closest(int shape, int key, int domain) {
        Cause closest = Cause.NO_NODE;
        for (int n = 0; n < problem.nodes().count; n++) {
            if (key == NONE || problem.nodes().domains[key][n] == domain) {
                boolean mayEnter = problem.shapes().get(shape).enterableNodes.get(n);
                closest = closer(closest, mayEnter ? Cause.NO_ROOM : Cause.NOT_ENTERABLE);
            }
        }
        for (int node = 0; node < trial.nodes(); node++) {
            if (key == NONE || trial.domain(key, node) == domain) {
                closest = closer(closest, cause(shape, node));
            }
        }
        return closest;
    }

    private Cause cause(int shape, int node) {
        if (!trial.enters(shape, node)) {
            return Cause.NOT_ENTERABLE;
        }
        return trial.fits(shape, node) ? Cause.SPREAD : Cause.NO_ROOM;
    }

    private static Cause closer(Cause one, Cause other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The constraint that excludes the most nodes with room. */
    private int excluding(int shape) {
        List<HardConstraint> constraints = problem.shapes().get(shape).constraints;
        int[] excluded = new int[constraints.size()];
        for (int node = 0; node < trial.nodes(); node++) {
            if (trial.enters(shape, node) && trial.fits(shape, node)) {
                for (int i = 0; i < excluded.length; i++) {
                    excluded[i] += trial.admits(constraints.get(i), node) ? 0 : 1;
                }
            }
        }
        int most = 0;
        for (int i = 1; i < excluded.length; i++) {
            most = excluded[i] > excluded[most] ? i : most;
        }
        return most;
    }

    private int lowest(HardConstraint constraint) {
        Tally tally = trial.tallies[constraint.counted()];
        int lowest = NONE;
        if (tally.domains() >= constraint.minDomains()) {
            for (int domain = 0; domain < tally.size(); domain++) {
                if (tally.isEligible(domain) && (lowest == NONE || tally.count(domain) < tally.count(lowest))) {
                    lowest = domain;
                }
            }
        }
        return lowest;
    }
}

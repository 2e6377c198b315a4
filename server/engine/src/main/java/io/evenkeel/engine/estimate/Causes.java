package io.evenkeel.engine.estimate;

import io.evenkeel.engine.estimate.Unplaced.Cause;
import java.util.ArrayList;
import java.util.List;

/** Finds why the pods that a trial has left are not placed, on its nodes or on one more node of a template. */
final class Causes {
    private static final int NONE = -1;

    private final Trial trial;
    private final Ground ground;
    private final Problem problem;

    /** How many templates are considered: all or none. */
    private final int templates;

    private Causes(Trial trial, boolean mayAddNodes) {
        this.trial = trial;
        ground = trial.ground;
        problem = ground.problem;
        templates = mayAddNodes ? problem.templates().size() : 0;
    }

    /** @param mayAddNodes whether more new nodes are possible, up to the maximum of each template */
    static List<Unplaced> of(Trial trial, boolean mayAddNodes) {
        Causes causes = new Causes(trial, mayAddNodes);
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
        for (int t = 0; t < templates; t++) {
            if (key == NONE || ground.domain[key][ground.existing + t] == domain) {
                closest = closer(closest, ofOneMore(shape, t));
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

    /** The cause for one more node of a template. */
    private Cause ofOneMore(int shape, int t) {
        if (!ground.enters[shape][ground.existing + t]) {
            boolean isFull = problem.shapes().get(shape).enterableTemplates.get(t)
                    && !ground.fits(shape, ground.free, (ground.existing + t) * problem.resources());
            return isFull ? Cause.NO_ROOM : Cause.NOT_ENTERABLE;
        }
        if (isAtMaximum(t)) {
            return Cause.MAX_COUNT;
        }
        for (HardConstraint constraint : problem.shapes().get(shape).constraints) {
            if (!admitsOneMore(constraint, t)) {
                return Cause.SPREAD;
            }
        }
        return Cause.NO_PLAN;
    }

    private boolean isAtMaximum(int t) {
        return trial.newNodes[t] == problem.templates().get(t).max;
    }

    /** Whether a constraint admits a pod to one more node of a template. */
    private boolean admitsOneMore(HardConstraint constraint, int t) {
        int domain = ground.domain[problem.counted().get(constraint.counted()).key][ground.existing + t];
        return domain < 0 || trial.admitsTo(constraint, domain);
    }

    private static Cause closer(Cause one, Cause other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The constraint that excludes the most nodes with room, of those that exist and one more of each template. */
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
        for (int t = 0; t < templates; t++) {
            if (ground.enters[shape][ground.existing + t] && !isAtMaximum(t)) {
                for (int i = 0; i < excluded.length; i++) {
                    excluded[i] += admitsOneMore(constraints.get(i), t) ? 0 : 1;
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

package shadow

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// Outcomes of a comparison.
const (
	// Equal: both give the same results, each from its own state or, if the states differ, from Evenkeel's.
	Equal = "equal"
	// Different: Evenkeel gives another result than the original for the same cluster.
	Different = "different"
	// NotComparable: the states are different, or one of the two gave no answer.
	NotComparable = "not_comparable"
)

// Reasons of outcomes.
const (
	reasonAtOnce      = "at_once"
	reasonJudgedAgain = "judged_again"
)

var (
	outcomes = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "evenkeel_topology_spread",
		Name:      "shadow_outcomes_total",
		Help: "Comparisons of Evenkeel's answers with those of PodTopologySpread, by outcome: equal (at_once, or judged_again from the " +
			"objects at the versions of Evenkeel's answer), different, or not_comparable with the reason.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"outcome", "reason"})
	inProgress = metrics.NewGauge(&metrics.GaugeOpts{
		Subsystem:      "evenkeel_topology_spread",
		Name:           "shadow_under_way",
		Help:           "Comparisons without an outcome yet.",
		StabilityLevel: metrics.ALPHA,
	})
	registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(outcomes, inProgress) })
)

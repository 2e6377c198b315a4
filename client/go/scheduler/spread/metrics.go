package spread

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const (
	subsystem      = "evenkeel_topology_spread"
	sourceEvenkeel = "evenkeel"
	sourceOriginal = "original"
)

var (
	cycleDuration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem:      subsystem,
		Name:           "cycle_duration_seconds",
		Help:           "Time that PreFilter and PreScore of the plugin take in a scheduling cycle of a pod with constraints, by the source of the answers. Without audited cycles.",
		Buckets:        metrics.ExponentialBuckets(0.00005, 1.5, 24),
		StabilityLevel: metrics.ALPHA,
	}, []string{"profile", "source"})
	cycles = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem:      subsystem,
		Name:           "cycles_total",
		Help:           "Scheduling cycles of pods with constraints: by evenkeel if it gave all answers, otherwise by original with the reason.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"profile", "source", "reason"})
	failing = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Subsystem:      subsystem,
		Name:           "failing",
		Help:           "1 from when Evenkeel has failed until it answers again in time, 0 otherwise.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"server"})
	connected = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Subsystem:      subsystem,
		Name:           "connected",
		Help:           "1 while the connection to Evenkeel is open, even if no pod is scheduled; 0 otherwise.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"server"})
	registerMetrics = sync.OnceFunc(func() {
		legacyregistry.MustRegister(cycleDuration, cycles, failing, connected)
	})
)

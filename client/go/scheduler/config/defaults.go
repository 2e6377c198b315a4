package config

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
)

// DefaultDeadline is longer than answers take, and shorter than the original plugin takes in large clusters.
const DefaultDeadline = 20 * time.Millisecond

// SetDefaults sets unset arguments.
func SetDefaults(args *EvenkeelTopologySpreadArgs) {
	if args.Deadline == nil {
		args.Deadline = &metav1.Duration{Duration: DefaultDeadline}
	}
	if args.Mode == "" {
		args.Mode = ModeEvenkeel
	}
	internalv1.SetDefaults_PodTopologySpreadArgs(&args.PodTopologySpreadArgs)
}

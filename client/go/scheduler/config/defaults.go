package config

import internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"

// defaultAuditEvery makes the comparisons cost less than a hundredth of what the original plugin costs.
const defaultAuditEvery = int32(1000)

// SetDefaults sets unset arguments.
func SetDefaults(args *EvenkeelTopologySpreadArgs) {
	if args.Mode == "" {
		args.Mode = ModeEvenkeel
	}
	if args.AuditEvery == nil {
		every := defaultAuditEvery
		args.AuditEvery = &every
	}
	internalv1.SetDefaults_PodTopologySpreadArgs(&args.PodTopologySpreadArgs)
}

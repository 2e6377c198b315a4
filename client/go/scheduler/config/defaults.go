package config

import internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"

// SetDefaults sets unset arguments.
func SetDefaults(args *EvenkeelTopologySpreadArgs) {
	if args.Mode == "" {
		args.Mode = ModeEvenkeel
	}
	internalv1.SetDefaults_PodTopologySpreadArgs(&args.PodTopologySpreadArgs)
}

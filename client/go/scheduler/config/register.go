package config

import (
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
)

func init() {
	// The scheduler decodes with the first scheme, and converts plugin arguments with the second.
	utilruntime.Must(AddToScheme(scheme.Scheme))
	utilruntime.Must(AddToScheme(internalv1.GetPluginArgConversionScheme()))
}

// AddToScheme registers the arguments. The same type is the versioned and the internal one, so nothing is converted.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(configv1.SchemeGroupVersion, &EvenkeelTopologySpreadArgs{})
	scheme.AddKnownTypes(config.SchemeGroupVersion, &EvenkeelTopologySpreadArgs{})
	scheme.AddTypeDefaultingFunc(&EvenkeelTopologySpreadArgs{}, func(object any) {
		SetDefaults(object.(*EvenkeelTopologySpreadArgs))
	})
	return nil
}

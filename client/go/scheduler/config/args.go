// Package config defines the arguments of the plugin in a KubeSchedulerConfiguration.
package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"
)

// PluginName is the name of the plugin in a KubeSchedulerConfiguration.
const PluginName = "EvenkeelTopologySpread"

// EvenkeelTopologySpreadArgs are the arguments of the plugin. kube-scheduler's own scheme decodes them strictly and
// sets their defaults.
type EvenkeelTopologySpreadArgs struct {
	metav1.TypeMeta `json:",inline"`

	// Server is the address of Evenkeel: unix:/PATH or HOST:PORT.
	Server string `json:"server"`

	// TLS configures TLS. A HOST:PORT requires it, or Insecure.
	TLS *TLS `json:"tls,omitempty"`

	// Insecure permits an unencrypted connection to a HOST:PORT. Anyone who can change its packets can decide on
	// which nodes pods are placed.
	Insecure bool `json:"insecure,omitempty"`

	// TokenFile contains the scheduler's bearer token. It is read for each call. It requires TLS or a Unix socket.
	TokenFile string `json:"tokenFile,omitempty"`

	// Mode selects whose answers count. Evenkeel by default.
	Mode Mode `json:"mode,omitempty"`

	// MinNodes is how many nodes a cluster must have for Evenkeel's answers to be used: in a small one, the original
	// plugin is faster. 0: always. 500 by default.
	MinNodes *int32 `json:"minNodes,omitempty"`

	// MinWait is how long an answer is awaited at least, even if the original is faster: 1 ms, the default, to 1 s.
	MinWait metav1.Duration `json:"minWait,omitempty"`

	// AuditEvery is how often an answer of Evenkeel that counts is also compared with the original plugin's: once in
	// that many scheduling cycles. 0: never. 1000 by default.
	AuditEvery *int32 `json:"auditEvery,omitempty"`

	// ReplayDirectory is an existing directory to which different answers are written with all that they depend on.
	// Empty: none.
	ReplayDirectory string `json:"replayDirectory,omitempty"`

	// PodTopologySpreadArgs are the arguments of the original plugin.
	PodTopologySpreadArgs configv1.PodTopologySpreadArgs `json:"podTopologySpreadArgs,omitempty"`
}

// Mode selects whose answers count.
type Mode string

const (
	// ModeEvenkeel uses the answers of Evenkeel, and those of the original plugin if Evenkeel has none in time.
	ModeEvenkeel Mode = "Evenkeel"
	// ModeShadow uses the answers of the original plugin, asks Evenkeel meanwhile, and compares.
	ModeShadow Mode = "Shadow"
)

// TLS names files. They are read again for each connection. If one is invalid then, the previous contents are used.
type TLS struct {
	// CAFile contains the CA certificates that verify the server. Empty: those of the system.
	CAFile string `json:"caFile,omitempty"`

	// CertFile and KeyFile are the client certificate, if the server requires one.
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`

	// ServerName is the name in the server's certificate, if it is not the host of Server.
	ServerName string `json:"serverName,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (a *EvenkeelTopologySpreadArgs) DeepCopyObject() runtime.Object {
	if a == nil {
		return nil
	}
	copied := *a
	if a.TLS != nil {
		tls := *a.TLS
		copied.TLS = &tls
	}
	for _, number := range []**int32{&copied.MinNodes, &copied.AuditEvery} {
		if *number != nil {
			*number = ptr.To(**number)
		}
	}
	a.PodTopologySpreadArgs.DeepCopyInto(&copied.PodTopologySpreadArgs)
	return &copied
}

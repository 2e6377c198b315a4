// Package config has the arguments of the plugin, as a KubeSchedulerConfiguration holds them.
package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

// PluginName is the name of the plugin in a KubeSchedulerConfiguration.
const PluginName = "EvenkeelTopologySpread"

// EvenkeelTopologySpreadArgs are the arguments of the plugin. The scheme of kube-scheduler's configuration decodes them
// strictly and sets their defaults.
type EvenkeelTopologySpreadArgs struct {
	metav1.TypeMeta `json:",inline"`

	// Server is where Evenkeel listens: unix:/PATH or HOST:PORT.
	Server string `json:"server"`

	// TLS is how the connection is made safe. A connection without it is not encrypted.
	TLS *TLS `json:"tls,omitempty"`

	// TokenFile holds the bearer token that shows who asks. It is read for each call. It needs TLS or a socket.
	TokenFile string `json:"tokenFile,omitempty"`

	// Deadline is how long a scheduling cycle waits for an answer, before the original plugin answers. 20 ms by default.
	Deadline *metav1.Duration `json:"deadline,omitempty"`

	// Mode says whose answers count. Evenkeel by default.
	Mode Mode `json:"mode,omitempty"`

	// ReplayDirectory is where shadow mode writes what is needed to judge a different answer again. Empty: nowhere.
	ReplayDirectory string `json:"replayDirectory,omitempty"`

	// PodTopologySpreadArgs are the arguments of the original plugin.
	PodTopologySpreadArgs configv1.PodTopologySpreadArgs `json:"podTopologySpreadArgs,omitempty"`
}

// Mode says whose answers count.
type Mode string

const (
	// ModeEvenkeel takes the answers of Evenkeel, and those of the original plugin where Evenkeel has none in time.
	ModeEvenkeel Mode = "Evenkeel"
	// ModeShadow takes the answers of the original plugin, asks Evenkeel alongside and compares.
	ModeShadow Mode = "Shadow"
)

// TLS names files. Those of the own certificate are read again for each connection.
type TLS struct {
	// CAFile holds the certificates of the authorities that may have signed the server's. Empty: the system's.
	CAFile string `json:"caFile,omitempty"`

	// CertFile and KeyFile hold the scheduler's own certificate, where the server asks for one.
	CertFile string `json:"certFile,omitempty"`
	KeyFile  string `json:"keyFile,omitempty"`

	// ServerName is the name in the server's certificate, where it is not the host of Server.
	ServerName string `json:"serverName,omitempty"`
}

// DeepCopyObject makes the arguments a runtime.Object.
func (a *EvenkeelTopologySpreadArgs) DeepCopyObject() runtime.Object {
	if a == nil {
		return nil
	}
	copied := *a
	if a.TLS != nil {
		tls := *a.TLS
		copied.TLS = &tls
	}
	if a.Deadline != nil {
		deadline := *a.Deadline
		copied.Deadline = &deadline
	}
	a.PodTopologySpreadArgs.DeepCopyInto(&copied.PodTopologySpreadArgs)
	return &copied
}

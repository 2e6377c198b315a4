package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A profile of the stock scheduler next to one with the plugin.
const mixedProfiles = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: spread
  plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}]
      enabled: [{name: EvenkeelTopologySpread}]
  pluginConfig:
  - name: EvenkeelTopologySpread
    args: {server: 'unix:/run/evenkeel.sock'}
`

func TestCommand_rejectsAProfileWithoutThePlugin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(mixedProfiles), 0o600); err != nil {
		t.Fatal(err)
	}
	command := newCommand()
	command.SetArgs([]string{"--config", file})
	err := command.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "profile default-scheduler: EvenkeelTopologySpread must also be enabled") {
		t.Errorf("got %v", err)
	}
}

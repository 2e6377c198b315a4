// scheduler is the stock kube-scheduler with two plugins that Evenkeel's is compared with. RecordedTopologySpread plays
// recorded verdicts and scores. It shows the scheduling rate with a topology spread plugin that costs nothing.
// IncrementalTopologySpread keeps counts of pods in the scheduler's process.
package main

import (
	"os"

	"evenkeel.io/loadtest/scheduler/incremental"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(
		app.WithPlugin(pluginName, newPlugin), app.WithPlugin(incremental.Name, incremental.New))))
}

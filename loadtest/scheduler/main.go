// scheduler is the stock kube-scheduler with RecordedTopologySpread: a plugin that plays recorded verdicts and
// scores. It shows the scheduling rate with a topology spread plugin that costs nothing.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(pluginName, newPlugin))))
}

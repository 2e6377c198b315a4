// kube-scheduler-evenkeel is the stock kube-scheduler with the plugin EvenkeelTopologySpread.
package main

import (
	"os"

	"evenkeel.io/client/go/scheduler/spread"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // The JSON log format, like the stock scheduler.
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(spread.Name, spread.NewFactory()))))
}

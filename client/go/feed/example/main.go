// Feeds a running Evenkeel from client-go informers until it is stopped.
//
//	go run ./example -target 127.0.0.1:7450 -kubeconfig ~/.kube/config
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/feed"
	"evenkeel.io/client/go/internal/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	server := connect.Flags(flag.CommandLine)
	kubeconfig := flag.String("kubeconfig", "", "the kubeconfig file; empty: the cluster of the pod that this runs in")
	feeder := flag.String("feeder", "go-feed-example", "the name of this feeder; feeders that run at the same time need different names")
	takeover := flag.Bool("takeover", false, "take over from another feeder instead of waiting until it ends")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, server, *kubeconfig, feed.Options{Feeder: *feeder, Takeover: *takeover}); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server *connect.Server, kubeconfig string, options feed.Options) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = runtime.ContentTypeProtobuf
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	// Otherwise a server that died without closing the connection is noticed only after Options.AcknowledgeTimeout.
	connection, err := server.Dial(grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 5 * time.Minute, Timeout: 20 * time.Second}))
	if err != nil {
		return err
	}
	defer connection.Close()

	options.Hooks.Refused = func(_ evenkeelv1.ObjectKind, refusal *evenkeelv1.Refusal) {
		log.Printf("%s was refused: %s", refusal.Object, refusal.Error.GetMessage())
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0, informers.WithTransform(withoutManagedFields))
	clusterFeed, err := feed.New(evenkeelv1.NewClusterStateClient(connection), feed.Of(factory), options)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	return clusterFeed.Run(ctx)
}

// withoutManagedFields drops fields that are not used here and take the most memory.
func withoutManagedFields(object any) (any, error) {
	if metadata, err := meta.Accessor(object); err == nil {
		metadata.SetManagedFields(nil)
	}
	return object, nil
}

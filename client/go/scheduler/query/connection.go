// Package query sends queries about pods to Evenkeel, with a deadline, and only while Evenkeel answers.
package query

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"evenkeel.io/client/go/internal/connect"
	"evenkeel.io/client/go/scheduler/config"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"k8s.io/klog/v2"
)

const (
	// The table of 100,000 nodes with the longest names is smaller.
	maxAnswerBytes = 64 << 20
	// How much may be in flight before it is read. An answer about 100,000 nodes is smaller.
	flowControlWindow = 1 << 20
	// A connection is probed after this long without traffic. gRPC does not allow less.
	keepaliveTime    = 10 * time.Second
	keepaliveTimeout = 5 * time.Second
)

// dial creates a connection that is opened on first use, and again whenever it breaks.
func dial(args *config.EvenkeelTopologySpreadArgs) (*grpc.ClientConn, error) {
	transport, err := transport(args.TLS)
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)),
		// With a fixed window, gRPC does not send a ping for each answer to measure it.
		grpc.WithStaticStreamWindowSize(flowControlWindow),
		grpc.WithStaticConnWindowSize(flowControlWindow),
		// A standby scheduler sends nothing, and must have a connection when it becomes the leader.
		grpc.WithIdleTimeout(0),
		// A server that is back must be found at once. Nothing is sent to one that is not.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: time.Second,
		}),
		// A machine that dies closes no connection. Only a new connection reaches the one that replaces it.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveTime, Timeout: keepaliveTimeout, PermitWithoutStream: true}),
	}
	if args.TokenFile != "" {
		if _, err := os.ReadFile(args.TokenFile); err != nil {
			return nil, fmt.Errorf("tokenFile: %w", err)
		}
		options = append(options, grpc.WithPerRPCCredentials(connect.FileToken{File: args.TokenFile, OverTLS: args.TLS != nil}))
	}
	return grpc.NewClient(target(args.Server), options...)
}

// target returns the gRPC target. DNS resolves an address each time that a connection is opened.
func target(server string) string {
	if strings.HasPrefix(server, "unix:") {
		return server
	}
	return "dns:///" + server
}

func transport(files *config.TLS) (credentials.TransportCredentials, error) {
	if files == nil {
		return insecure.NewCredentials(), nil
	}
	valid, err := readTLS(files)
	if err != nil {
		return nil, err
	}
	return &reloadedTLS{TransportCredentials: valid, files: files, valid: valid}, nil
}

// reloadedTLS reads its files again for each connection, so that they may be rotated. If they are invalid then, for
// example while they are being replaced, it uses the contents that were valid last.
type reloadedTLS struct {
	credentials.TransportCredentials
	files *config.TLS
	mutex sync.Mutex
	valid credentials.TransportCredentials
	// Whether the files were invalid when they were read last.
	invalid bool
}

// ClientHandshake authenticates both sides by the current contents of the files.
func (r *reloadedTLS) ClientHandshake(ctx context.Context, authority string, connection net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.reload(ctx).ClientHandshake(ctx, authority, connection)
}

func (r *reloadedTLS) reload(ctx context.Context) credentials.TransportCredentials {
	read, err := readTLS(r.files)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err == nil {
		r.valid = read
	} else if !r.invalid { // Otherwise each attempt to connect would log this.
		klog.FromContext(ctx).Error(err, "Failed to reload TLS files; using their previous contents")
	}
	r.invalid = err != nil
	return r.valid
}

// Clone returns the same object: all its connections use the same files.
func (r *reloadedTLS) Clone() credentials.TransportCredentials { return r }

func readTLS(files *config.TLS) (credentials.TransportCredentials, error) {
	read := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: files.ServerName}
	if files.CAFile != "" {
		pem, err := os.ReadFile(files.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.caFile: %w", err)
		}
		read.RootCAs = x509.NewCertPool()
		if !read.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls.caFile: %s contains no certificate", files.CAFile)
		}
	}
	if files.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("tls.certFile and tls.keyFile: %w", err)
		}
		read.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(read), nil
}

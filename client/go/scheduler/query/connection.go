// Package query sends queries about pods to Evenkeel, with a deadline, and only while Evenkeel answers.
package query

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"time"

	"evenkeel.io/client/go/internal/connect"
	"evenkeel.io/client/go/scheduler/config"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	// The table of 100,000 nodes with the longest names is smaller.
	maxAnswerBytes = 64 << 20
	// How much may be in flight before it is read. An answer about 100,000 nodes is smaller.
	flowControlWindow = 1 << 20
	// A connection is probed after this long without traffic. gRPC does not allow less.
	keepaliveTime = 10 * time.Second
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
		// A standby scheduler sends no queries, and must have a connection when it becomes the leader.
		grpc.WithIdleTimeout(0),
		// A server that is back must be found at once. The breaker rejects queries to one that is not.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: time.Second,
		}),
		// A machine that dies closes no connection. Only a new connection reaches the one that replaces it.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveTime, Timeout: 5 * time.Second, PermitWithoutStream: true}),
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
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: files.ServerName}
	if files.CAFile != "" {
		pem, err := os.ReadFile(files.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.caFile: %w", err)
		}
		tlsConfig.RootCAs = x509.NewCertPool()
		if !tlsConfig.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls.caFile: %s contains no certificate", files.CAFile)
		}
	}
	if files.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile); err != nil {
			return nil, fmt.Errorf("tls.certFile and tls.keyFile: %w", err)
		}
		tlsConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
			return &pair, err
		}
	}
	return credentials.NewTLS(tlsConfig), nil
}

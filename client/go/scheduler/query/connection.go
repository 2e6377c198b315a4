// Package query asks Evenkeel about pods, within a deadline and only while it answers.
package query

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"
	"time"

	"evenkeel.io/client/go/scheduler/config"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	// The table of 100,000 nodes with the longest names takes less.
	maxAnswerBytes = 64 << 20
	// What may be on its way before it is read. An answer on 100,000 nodes takes less.
	flowControlWindow = 1 << 20
	// A connection is probed after as long a silence. gRPC probes no earlier.
	keepaliveTime = 10 * time.Second
)

// connect makes a connection, which is opened when it is first used and again whenever it breaks.
func connect(args *config.EvenkeelTopologySpreadArgs) (*grpc.ClientConn, error) {
	transport, err := transport(args.TLS)
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswerBytes)),
		// Where the window is fixed, gRPC does not measure it with a ping for each answer.
		grpc.WithStaticStreamWindowSize(flowControlWindow),
		grpc.WithStaticConnWindowSize(flowControlWindow),
		// A scheduler that waits to lead asks nothing, and must find Evenkeel when it leads.
		grpc.WithIdleTimeout(0),
		// A server that is back must be found at once: the breaker keeps calls away from one that is not.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: time.Second,
		}),
		// A machine that died closes no connection: its place is only found by a new one.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveTime, Timeout: 5 * time.Second, PermitWithoutStream: true}),
	}
	if args.TokenFile != "" {
		if _, err := os.ReadFile(args.TokenFile); err != nil {
			return nil, fmt.Errorf("tokenFile: %w", err)
		}
		options = append(options, grpc.WithPerRPCCredentials(fileToken{file: args.TokenFile, overTLS: args.TLS != nil}))
	}
	return grpc.NewClient(target(args.Server), options...)
}

// target is a gRPC target. An address is resolved by DNS each time that a connection is opened.
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
	made := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: files.ServerName}
	if files.CAFile != "" {
		pem, err := os.ReadFile(files.CAFile)
		if err != nil {
			return nil, fmt.Errorf("tls.caFile: %w", err)
		}
		made.RootCAs = x509.NewCertPool()
		if !made.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("tls.caFile: %s has no certificate", files.CAFile)
		}
	}
	if files.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile); err != nil {
			return nil, fmt.Errorf("tls.certFile and tls.keyFile: %w", err)
		}
		made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
			return &pair, err
		}
	}
	return credentials.NewTLS(made), nil
}

// tokenOfFile shows a bearer token. The file is read for each call, so that it may change.
type fileToken struct {
	file    string
	overTLS bool
}

func (t fileToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token, err := os.ReadFile(t.file)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + strings.TrimSpace(string(token))}, nil
}

// RequireTransportSecurity lets a token go over a socket: Validate refuses it over other connections without TLS.
func (t fileToken) RequireTransportSecurity() bool { return t.overTLS }

// Package connect gives the example programs the flags to connect to a server and to authenticate.
package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Server is the address of a server and the credentials for it. All parts but the target may be empty.
type Server struct {
	target            string
	caFile            string // in PEM, as are the next two
	certFile, keyFile string
	tokenFile         string
}

// Flags registers the flags of a program.
func Flags(flags *flag.FlagSet) *Server {
	s := &Server{}
	flags.StringVar(&s.target, "target", "127.0.0.1:7450", "the server as HOST:PORT, or its socket as unix:/run/evenkeel.sock")
	flags.StringVar(&s.caFile, "ca", "", "the CA certificates that verify the server, in PEM; without them TLS is not used")
	flags.StringVar(&s.certFile, "cert", "", "a client certificate, in PEM")
	flags.StringVar(&s.keyFile, "key", "", "the private key of -cert, in PEM")
	flags.StringVar(&s.tokenFile, "token-file", "", "a file with a bearer token, which is sent unencrypted without -ca")
	return s
}

// Dial connects with TLS if there are CA certificates, and without encryption otherwise.
func (s *Server) Dial(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	options = append(options, grpc.WithTransportCredentials(transport))
	if s.tokenFile != "" {
		options = append(options, grpc.WithPerRPCCredentials(FileToken{File: s.tokenFile, OverTLS: s.caFile != ""}))
	}
	return grpc.NewClient(s.target, options...)
}

func (s *Server) transport() (credentials.TransportCredentials, error) {
	if s.caFile == "" {
		if s.certFile != "" || s.keyFile != "" {
			return nil, errors.New("-cert and -key require -ca")
		}
		return insecure.NewCredentials(), nil
	}
	pem, err := os.ReadFile(s.caFile)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("-ca: %s contains no certificate", s.caFile)
	}
	if s.certFile != "" || s.keyFile != "" {
		// Read for each connection, so that the files may be rotated.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(s.certFile, s.keyFile)
			return &pair, err
		}
	}
	return credentials.NewTLS(config), nil
}

// FileToken sends a bearer token. It reads the file for each call, so the token may be rotated.
type FileToken struct {
	File string

	// OverTLS is false for a token that may be sent unencrypted, over loopback or a Unix socket.
	OverTLS bool
}

func (t FileToken) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token, err := os.ReadFile(t.File)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + strings.TrimSpace(string(token))}, nil
}

// RequireTransportSecurity permits unencrypted tokens if the caller has asked for that, for loopback or a Unix
// socket.
func (t FileToken) RequireTransportSecurity() bool {
	return t.OverTLS
}

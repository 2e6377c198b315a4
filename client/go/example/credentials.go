package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// shown is what the example shows a server to be let in. Each part may be empty.
type shown struct {
	authorities      string // files in PEM
	certificate, key string
	tokenFile        string
}

// dialOptions says how to connect: with TLS where there are authorities, and in the clear otherwise.
func (s shown) dialOptions() ([]grpc.DialOption, error) {
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if s.tokenFile != "" {
		options = append(options, grpc.WithPerRPCCredentials(tokenOfFile{file: s.tokenFile, overTLS: s.authorities != ""}))
	}
	return options, nil
}

func (s shown) transport() (credentials.TransportCredentials, error) {
	if s.authorities == "" {
		if s.certificate != "" || s.key != "" {
			return nil, errors.New("-cert and -key need -ca")
		}
		return insecure.NewCredentials(), nil
	}
	pem, err := os.ReadFile(s.authorities)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", s.authorities)
	}
	if s.certificate != "" || s.key != "" {
		// Read for each connection, so that the files may change.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(s.certificate, s.key)
			return &pair, err
		}
	}
	return credentials.NewTLS(config), nil
}

// tokenOfFile shows a bearer token. The file is read for each call, so that it may change.
type tokenOfFile struct {
	file    string
	overTLS bool
}

func (t tokenOfFile) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token, err := os.ReadFile(t.file)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + strings.TrimSpace(string(token))}, nil
}

// RequireTransportSecurity lets a token go in the clear where the caller has asked for it, as to loopback or a socket.
func (t tokenOfFile) RequireTransportSecurity() bool {
	return t.overTLS
}

package query

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
)

// authServer answers callers that send a token, and returns the subject of their certificate.
type authServer struct {
	evenkeelv1.UnimplementedClusterStateServer
}

func (authServer) GetStatus(ctx context.Context, _ *evenkeelv1.GetStatusRequest) (*evenkeelv1.GetStatusResponse, error) {
	shown, _ := metadata.FromIncomingContext(ctx)
	if tokens := shown.Get("authorization"); len(tokens) != 1 || tokens[0] != "Bearer secret" {
		return nil, status.Errorf(codes.Unauthenticated, "%v was shown", tokens)
	}
	response := &evenkeelv1.GetStatusResponse{}
	if caller, ok := peer.FromContext(ctx); ok {
		if info, ok := caller.AuthInfo.(credentials.TLSInfo); ok && len(info.State.PeerCertificates) > 0 {
			response.Version = info.State.PeerCertificates[0].Subject.CommonName
		}
	}
	return response, nil
}

func write(t *testing.T, file, typ string, bytes []byte) string {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: typ, Bytes: bytes}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// certificate writes a self-signed certificate for a server and its clients.
func certificate(t *testing.T, directory string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "scheduler"}, DNSNames: []string{"evenkeel"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(directory, "tls.crt"), "CERTIFICATE", made),
		write(t, filepath.Join(directory, "tls.key"), "EC PRIVATE KEY", bytes)
}

func serve(t *testing.T, network, address string, options ...grpc.ServerOption) net.Addr {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	evenkeelv1.RegisterClusterStateServer(server, authServer{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr()
}

func statusOf(t *testing.T, args *config.EvenkeelTopologySpreadArgs) (*evenkeelv1.GetStatusResponse, error) {
	t.Helper()
	if err := config.Validate(args); err != nil {
		t.Fatal(err)
	}
	connection, err := dial(args)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return evenkeelv1.NewClusterStateClient(connection).GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
}

func token(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func arguments(server string) *config.EvenkeelTopologySpreadArgs {
	args := &config.EvenkeelTopologySpreadArgs{Server: server}
	config.SetDefaults(args)
	return args
}

func TestConnect_sendsACertificateAndAToken(t *testing.T) {
	certFile, keyFile := certificate(t, t.TempDir())
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, "tcp", "127.0.0.1:0", grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert})))
	args := arguments(address.String())
	args.TLS = &config.TLS{CAFile: certFile, CertFile: certFile, KeyFile: keyFile, ServerName: "evenkeel"}
	args.TokenFile = token(t)
	response, err := statusOf(t, args)
	if err != nil || response.Version != "scheduler" {
		t.Errorf("got %v, %v", response, err)
	}
	args.TLS.ServerName = "another"
	if _, err := statusOf(t, args); status.Code(err) != codes.Unavailable {
		t.Errorf("a server with another name was accepted: %v", err)
	}
}

// The server gets a certificate of another CA. While the new CA is being written, its file is empty.
func TestConnect_reloadsCAs(t *testing.T) {
	oldCert, oldKey := certificate(t, t.TempDir())
	newCert, newKey := certificate(t, t.TempDir())
	var files atomic.Pointer[[2]string]
	files.Store(&[2]string{oldCert, oldKey})
	address := serve(t, "tcp", "127.0.0.1:0", grpc.Creds(credentials.NewTLS(&tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			current := files.Load()
			pair, err := tls.LoadX509KeyPair(current[0], current[1])
			return &pair, err
		}})))
	caFile := filepath.Join(t.TempDir(), "ca.crt")
	copyTo := func(from string) {
		contents, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(caFile, contents, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	copyTo(oldCert)
	caller, err := transport(&config.TLS{CAFile: caFile})
	if err != nil {
		t.Fatal(err)
	}
	connect := func() error {
		connection, err := net.Dial("tcp", address.String())
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		_, _, err = caller.ClientHandshake(t.Context(), "evenkeel", connection)
		return err
	}
	if err := connect(); err != nil {
		t.Error(err)
	}
	files.Store(&[2]string{newCert, newKey})
	if err := connect(); err == nil {
		t.Error("a certificate of another CA was accepted")
	}
	copyTo(newCert)
	if err := connect(); err != nil {
		t.Errorf("with the new CA: %v", err)
	}
	copyTo(os.DevNull)
	if err := connect(); err != nil {
		t.Errorf("with an empty file: %v", err)
	}
}

// Each attempt to connect reads the files.
func TestReload_logsOnceThatFilesAreInvalid(t *testing.T) {
	file, _ := certificate(t, t.TempDir())
	valid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	made, err := transport(&config.TLS{CAFile: file})
	if err != nil {
		t.Fatal(err)
	}
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
	ctx := klog.NewContext(t.Context(), logger)
	for _, content := range [][]byte{nil, nil, valid, nil, nil} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		made.(*reloadedTLS).reload(ctx)
	}
	if logged := len(logger.GetSink().(ktesting.Underlier).GetBuffer().Data()); logged != 2 {
		t.Errorf("logged %d times", logged)
	}
}

func TestConnect_sendsATokenOverASocket(t *testing.T) {
	address := serve(t, "unix", filepath.Join(t.TempDir(), "evenkeel.sock"))
	args := arguments("unix:" + address.String())
	args.TokenFile = token(t)
	if _, err := statusOf(t, args); err != nil {
		t.Error(err)
	}
	args.TokenFile = ""
	if _, err := statusOf(t, args); status.Code(err) != codes.Unauthenticated {
		t.Errorf("got %v", err)
	}
}

func TestConnect_namesTheInvalidFile(t *testing.T) {
	for _, files := range []config.TLS{
		{CAFile: "/none"}, {CAFile: token(t)}, {CertFile: "/none", KeyFile: "/none"},
	} {
		args := arguments("evenkeel:7450")
		args.TLS = &files
		if _, err := dial(args); err == nil {
			t.Errorf("%+v was accepted", files)
		}
	}
	args := arguments("unix:/run/evenkeel.sock")
	args.TokenFile = "/none"
	if _, err := dial(args); err == nil || !strings.Contains(err.Error(), "tokenFile: open /none") {
		t.Errorf("got %v", err)
	}
}

// Nothing is queried in the meantime.
func TestRun_reportsWhetherTheConnectionIsOpen(t *testing.T) {
	address := filepath.Join(t.TempDir(), "evenkeel.sock")
	created, err := NewServer(t.Context(), arguments("unix:"+address), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	var open atomic.Bool
	go created.Run(open.Store)
	for range 2 {
		listener, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		go func() { _ = server.Serve(listener) }()
		awaitTold(t, &open, true)
		server.Stop()
		awaitTold(t, &open, false)
	}
}

func awaitTold(t *testing.T, changes *atomic.Bool, expected bool) {
	t.Helper()
	for started := time.Now(); changes.Load() != expected; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatalf("it does not report %t", expected)
		}
	}
}

// A machine that dies closes no connection, and another one takes over its address.
func TestConnect_replacesADeadConnection(t *testing.T) {
	args := arguments("unix:" + serve(t, "unix", filepath.Join(t.TempDir(), "evenkeel.sock")).String())
	between, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	var dead atomic.Bool
	go func() {
		for first := true; ; first = false {
			caller, err := between.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", strings.TrimPrefix(args.Server, "unix:"))
			if err != nil {
				t.Error(err)
				return
			}
			forward := func(from, to net.Conn) {
				buffer := make([]byte, 4096)
				for {
					read, err := from.Read(buffer)
					if err != nil {
						return
					}
					if first && dead.Load() {
						continue
					}
					if _, err := to.Write(buffer[:read]); err != nil {
						return
					}
				}
			}
			go forward(caller, server)
			go forward(server, caller)
		}
	}()
	insecurely := arguments(between.Addr().String())
	insecurely.Insecure = true
	connection, err := dial(insecurely)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	call := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := evenkeelv1.NewClusterStateClient(connection).GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
		return err
	}
	// The server requires a token, so it has answered.
	for started := time.Now(); status.Code(call()) != codes.Unauthenticated; {
		if time.Since(started) > time.Minute {
			t.Fatal("the server does not answer")
		}
	}
	dead.Store(true)
	for started := time.Now(); status.Code(call()) != codes.Unauthenticated; {
		if time.Since(started) > 2*time.Minute {
			t.Fatal("the dead connection is used")
		}
	}
}

package config

import (
	"errors"
	"net"
	"strings"
	"time"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// Validate returns all errors in the arguments, by field.
func Validate(args *EvenkeelTopologySpreadArgs) error {
	var errs field.ErrorList
	server := field.NewPath("server")
	path, socket := strings.CutPrefix(args.Server, "unix:")
	if args.Server == "" {
		errs = append(errs, field.Required(server, "the address of Evenkeel: unix:/PATH or HOST:PORT"))
	} else if socket {
		if !strings.HasPrefix(path, "/") {
			errs = append(errs, field.Invalid(server, args.Server, "the path of a socket must be absolute"))
		}
	} else if _, port, err := net.SplitHostPort(args.Server); err != nil || port == "" {
		errs = append(errs, field.Invalid(server, args.Server, "must be unix:/PATH or HOST:PORT"))
	}
	if tls := args.TLS; tls != nil {
		if (tls.CertFile == "") != (tls.KeyFile == "") {
			errs = append(errs, field.Invalid(field.NewPath("tls"), *tls, "certFile and keyFile must be given together"))
		}
		if args.Insecure {
			errs = append(errs, field.Invalid(field.NewPath("insecure"), args.Insecure, "contradicts tls"))
		}
	} else if !socket && args.Server != "" && !args.Insecure {
		errs = append(errs, field.Required(field.NewPath("tls"), "for a HOST:PORT, unless insecure is true"))
	}
	if args.TLS == nil && args.TokenFile != "" && !socket {
		errs = append(errs, field.Invalid(field.NewPath("tokenFile"), args.TokenFile,
			"requires tls or a Unix socket: a token must not be sent unencrypted"))
	}
	if args.Mode != ModeEvenkeel && args.Mode != ModeShadow {
		errs = append(errs, field.NotSupported(field.NewPath("mode"), args.Mode, []Mode{ModeEvenkeel, ModeShadow}))
	}
	errs = append(errs, apivalidation.ValidateNonnegativeField(int64(*args.MinNodes), field.NewPath("minNodes"))...)
	if wait := args.MinWait.Duration; wait < 0 || wait > time.Second {
		errs = append(errs, field.Invalid(field.NewPath("minWait"), wait.String(), "must be from 0s to 1s"))
	}
	errs = append(errs, apivalidation.ValidateNonnegativeField(int64(*args.AuditEvery), field.NewPath("auditEvery"))...)
	original := field.NewPath("podTopologySpreadArgs")
	if converted, err := args.Original(); err != nil {
		errs = append(errs, field.Invalid(original, nil, err.Error()))
	} else if err := validation.ValidatePodTopologySpreadArgs(original, converted); err != nil {
		return errors.Join(errs.ToAggregate(), err)
	}
	return errs.ToAggregate()
}

// Original converts the arguments of the original plugin to the type that it takes.
func (a *EvenkeelTopologySpreadArgs) Original() (*config.PodTopologySpreadArgs, error) {
	converted := &config.PodTopologySpreadArgs{}
	err := internalv1.GetPluginArgConversionScheme().Convert(&a.PodTopologySpreadArgs, converted, nil)
	return converted, err
}

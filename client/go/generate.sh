#!/bin/sh
# Generates evenkeelv1 from the project's .proto files; with --check, only compares. Needs Go, and the protoc and
# protobuf-java
# that the Maven build has downloaded (or PROTOC and PROTOBUF_INCLUDE).
set -eu
cd "$(dirname "$0")"

# No newer than Kubernetes 1.36 itself requires, like go.mod.
protoc_gen_go=google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11
protoc_gen_go_grpc=google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2

protos=../../proto/src/main/proto
version=$(sed -n 's:.*<protobuf.version>\(.*\)</protobuf.version>.*:\1:p' ../../pom.xml)
repository=${MAVEN_REPOSITORY:-$HOME/.m2/repository}/com/google/protobuf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${PROTOC:-}" ]; then
    case $(uname -s) in Darwin) system=osx ;; *) system=linux ;; esac
    case $(uname -m) in arm64 | aarch64) machine=aarch_64 ;; *) machine=x86_64 ;; esac
    cached=$repository/protoc/$version/protoc-$version-$system-$machine.exe
    if [ ! -f "$cached" ]; then
        echo "protoc not found: run mvn compile once, or set PROTOC" >&2
        exit 2
    fi
    PROTOC=$work/protoc
    cp "$cached" "$PROTOC"
    chmod +x "$PROTOC"
fi
if [ -z "${PROTOBUF_INCLUDE:-}" ]; then
    PROTOBUF_INCLUDE=$work/include
    mkdir "$PROTOBUF_INCLUDE"
    (cd "$PROTOBUF_INCLUDE" && unzip -q "$repository/protobuf-java/$version/protobuf-java-$version.jar" 'google/protobuf/*.proto')
fi

GOBIN=$work/bin go install "$protoc_gen_go"
GOBIN=$work/bin go install "$protoc_gen_go_grpc"
mkdir "$work/out"
"$PROTOC" --proto_path="$protos" --proto_path="$PROTOBUF_INCLUDE" \
    --plugin=protoc-gen-go="$work/bin/protoc-gen-go" --go_out="$work/out" --go_opt=module=evenkeel.io/client/go \
    --plugin=protoc-gen-go-grpc="$work/bin/protoc-gen-go-grpc" --go-grpc_out="$work/out" \
    --go-grpc_opt=module=evenkeel.io/client/go "$protos"/evenkeel/v1/*.proto

if [ "${1:-}" = --check ]; then
    diff -r "$work/out/evenkeelv1" evenkeelv1 && echo "evenkeelv1 is up to date"
else
    rm -rf evenkeelv1
    mv "$work/out/evenkeelv1" evenkeelv1
fi

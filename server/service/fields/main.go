// Command fields prints the fields of the Kubernetes objects that Evenkeel reads from files, as the Go types of
// k8s.io/api define them:
//
//	go run . > ../src/main/resources/io/evenkeel/manifest/fields.txt
//
// A line has a type and its fields, sorted by name. A field without a mark is a value, a list of values, or anything
// that has no fixed fields.
//
//	name:Type     an object
//	name[]:Type   a list of objects
//	name{}        a map of values
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

var kinds = []any{
	appsv1.DaemonSet{}, appsv1.Deployment{}, appsv1.ReplicaSet{}, appsv1.StatefulSet{},
	batchv1.CronJob{}, batchv1.Job{},
	corev1.Node{}, corev1.Pod{}, corev1.PodTemplate{}, corev1.ReplicationController{}, corev1.Service{},
	policyv1.PodDisruptionBudget{},
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// table has the fields of each type that was reached.
type table map[reflect.Type][]string

func (t table) add(of reflect.Type) {
	if _, known := t[of]; known {
		return
	}
	t[of] = nil
	fields := t.fields(of)
	slices.Sort(fields)
	t[of] = fields
}

func (t table) fields(of reflect.Type) []string {
	var fields []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			fields = append(fields, t.fields(field.Type)...)
		case name == "":
			log.Fatalf("%s.%s has no JSON name", of, field.Name)
		default:
			fields = append(fields, name+t.mark(field.Type))
		}
	}
	return fields
}

// mark says what the values of a field are, and adds the types in them.
func (t table) mark(of reflect.Type) string {
	prefix := ""
	for {
		if of.Implements(marshaler) || reflect.PointerTo(of).Implements(marshaler) {
			return strings.TrimSuffix(prefix, "[]")
		}
		switch of.Kind() {
		case reflect.Pointer:
		case reflect.Slice:
			prefix += "[]"
		case reflect.Map:
			prefix += "{}"
		case reflect.Struct:
			t.add(of)
			return prefix + ":" + of.Name()
		default:
			return strings.TrimSuffix(prefix, "[]")
		}
		of = of.Elem()
	}
}

func main() {
	all := table{}
	for _, kind := range kinds {
		all.add(reflect.TypeOf(kind))
	}
	lines := make(map[string]string, len(all))
	for of, fields := range all {
		if _, taken := lines[of.Name()]; taken {
			log.Fatalf("two types are called %s", of.Name())
		}
		lines[of.Name()] = of.Name() + " " + strings.Join(fields, " ")
	}
	var sorted []string
	for _, line := range lines {
		sorted = append(sorted, line)
	}
	slices.Sort(sorted)
	fmt.Println(strings.Join(sorted, "\n"))
}

{{- define "evenkeel.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "evenkeel.account" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "evenkeel.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "evenkeel.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "evenkeel.metadata" -}}
name: {{ include "evenkeel.fullname" . }}
namespace: {{ .Release.Namespace }}
{{ include "evenkeel.labels" . }}
{{- end }}

{{- define "evenkeel.labels" -}}
labels:
  {{- include "evenkeel.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* Values that the schema accepts one by one, but that the server would reject together. */ -}}
{{- define "evenkeel.check" -}}
{{- if .Values.insecure }}
{{- if .Values.tls.secret }}{{ fail "insecure excludes tls.secret: set one of them" }}{{ end }}
{{- if .Values.admission.enabled }}{{ fail "admission.enabled needs tls.secret" }}{{ end }}
{{- else if not .Values.tls.secret }}{{ fail "the server needs tls.secret, or insecure: true" }}
{{- else if not (or .Values.tls.clientCa .Values.tokens.secret .Values.kubeTokens.audience) }}
{{- fail "callers must be authenticated: set tls.clientCa, tokens.secret or kubeTokens.audience" }}
{{- end }}
{{- if and .Values.provisioningClass (not .Values.kube) }}{{ fail "provisioningClass needs kube: true" }}{{ end }}
{{- if and .Values.admission.enabled (not .Values.kube) }}{{ fail "admission.enabled needs kube: true" }}{{ end }}
{{- if .Values.kubeTokens.audience }}
{{- if not .Values.kube }}{{ fail "kubeTokens.audience needs kube: true" }}{{ end }}
{{- if not .Values.access.rules }}{{ fail "kubeTokens.audience needs access.rules" }}{{ end }}
{{- end }}
{{- end }}

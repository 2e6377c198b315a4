/** An HTTP client of an API server, and the kubeconfig or service account that it uses. */
@NullMarked
package io.evenkeel.kube.client;

import org.jspecify.annotations.NullMarked;

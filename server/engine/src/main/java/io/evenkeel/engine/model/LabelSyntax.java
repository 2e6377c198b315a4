package io.evenkeel.engine.model;

import java.util.regex.Pattern;

/** Checks label keys and values by the rules of Kubernetes ({@code k8s.io/apimachinery/pkg/util/validation}). */
public final class LabelSyntax {
    private static final int NAME_MAX = 63;
    private static final int PREFIX_MAX = 253;
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private LabelSyntax() {}

    /**
     * Whether it is a qualified name: a name of at most 63 characters, alone or after a DNS subdomain of at most 253
     * characters and a slash.
     */
    public static boolean isKey(String key) {
        int slash = key.indexOf('/');
        String name = key.substring(slash + 1);
        if (slash >= 0) {
            String prefix = key.substring(0, slash);
            if (prefix.length() > PREFIX_MAX || !SUBDOMAIN.matcher(prefix).matches()) {
                return false;
            }
        }
        return name.length() <= NAME_MAX && NAME.matcher(name).matches();
    }

    /** Whether it is empty or a name of at most 63 characters. */
    public static boolean isValue(String value) {
        return value.isEmpty()
                || value.length() <= NAME_MAX && NAME.matcher(value).matches();
    }
}

package io.evenkeel.engine.cluster;

import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodSelector;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The services of a namespace, found by the labels of the pods that they select.
 *
 * <pre>
 *   services, in this order               under key, value    services
 *   all   {app: web}                            app, web      all
 *   api   {app: web, tier: back}                tier, back    api
 *   front {app: web, tier: front}               tier, front   front
 * </pre>
 *
 * <p>Each service is kept once, under one pair of its selector: the one that had the fewest services when it came. A
 * look-up compares only the services under the pairs that the pod has.
 */
final class ServiceIndex {
    /** By key and value of a pair, and by name of the service. */
    private final Map<String, Map<String, Map<String, PodSelector>>> byPair = new HashMap<>();

    ServiceIndex() {}

    /** A copy. */
    ServiceIndex(ServiceIndex other) {
        other.byPair.forEach((key, byValue) -> {
            Map<String, Map<String, PodSelector>> copy = new HashMap<>();
            byValue.forEach((value, named) -> copy.put(value, new HashMap<>(named)));
            byPair.put(key, copy);
        });
    }

    void add(OwnerObject service) {
        PodSelector selector = service.selector();
        if (selector == null || selector.isEmpty()) {
            return;
        }
        LabelRequirement rarest = selector.requirements().get(0);
        for (LabelRequirement pair : selector.requirements()) {
            if (under(pair.key(), value(pair)).size()
                    < under(rarest.key(), value(rarest)).size()) {
                rarest = pair;
            }
        }
        byPair.computeIfAbsent(rarest.key(), key -> new HashMap<>())
                .computeIfAbsent(value(rarest), value -> new HashMap<>())
                .put(service.name(), selector);
    }

    void remove(OwnerObject service) {
        if (service.selector() == null) {
            return;
        }
        for (LabelRequirement pair : service.selector().requirements()) {
            byPair.computeIfPresent(pair.key(), (key, byValue) -> {
                byValue.computeIfPresent(value(pair), (value, named) -> {
                    named.remove(service.name());
                    return named.isEmpty() ? null : named;
                });
                return byValue.isEmpty() ? null : byValue;
            });
        }
    }

    /** Passes on the selector of each service that matches these labels. */
    void forEachMatch(Map<String, String> labels, Consumer<PodSelector> taker) {
        labels.forEach((key, value) -> {
            for (PodSelector selector : under(key, value).values()) {
                if (selector.matches(labels)) {
                    taker.accept(selector);
                }
            }
        });
    }

    private Map<String, PodSelector> under(String key, String value) {
        return byPair.getOrDefault(key, Map.of()).getOrDefault(value, Map.of());
    }

    /** A service selects by pairs, so each requirement has one value. */
    private static String value(LabelRequirement pair) {
        return pair.values().get(0);
    }
}

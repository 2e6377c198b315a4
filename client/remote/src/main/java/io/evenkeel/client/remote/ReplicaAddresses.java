package io.evenkeel.client.remote;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Lets gRPC connect to a list of addresses, because its own targets name a single host. The list is the path of the
 * target: {@code evenkeel-replicas:///10.0.0.1:7450,10.0.0.2:7450}.
 */
final class ReplicaAddresses extends NameResolverProvider {
    private static final String SCHEME = "evenkeel-replicas";
    private static final int USUAL_PRIORITY = 5;

    static {
        NameResolverRegistry.getDefaultRegistry().register(new ReplicaAddresses());
    }

    private ReplicaAddresses() {}

    /** The target for these addresses, each {@code HOST:PORT}. */
    static String target(List<String> addresses) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("there must be at least one address");
        }
        addresses.forEach(ReplicaAddresses::parsed);
        try {
            return new URI(SCHEME, "", "/" + String.join(",", addresses), null).toString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("addresses must be HOST:PORT, were " + addresses, e);
        }
    }

    /** The parsed address. An IPv6 literal keeps its brackets, as in a URI. */
    private static URI parsed(String address) {
        try {
            URI parsed = new URI("tcp://" + address);
            if (parsed.getHost() != null
                    && parsed.getPort() >= 0
                    && parsed.getAuthority().equals(address)) {
                return parsed;
            }
        } catch (URISyntaxException e) {
            // Handled below, like an address without a port.
        }
        throw new IllegalArgumentException("an address must be HOST:PORT, was '" + address + "'");
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return USUAL_PRIORITY;
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args args) {
        return target.getScheme().toLowerCase(Locale.ROOT).equals(SCHEME)
                ? new Resolver(List.of(target.getPath().substring(1).split(",", -1)), args)
                : null;
    }

    /** Resolves the hosts when the channel connects, and again when a connection fails. */
    private static final class Resolver extends NameResolver {
        private final List<String> addresses;
        private final Args args;
        private @Nullable Listener2 listener;

        Resolver(List<String> addresses, Args args) {
            this.addresses = addresses;
            this.args = args;
        }

        @Override
        public String getServiceAuthority() {
            return addresses.get(0);
        }

        @Override
        public void start(Listener2 receiver) {
            listener = receiver;
            resolve(receiver);
        }

        @Override
        public void refresh() {
            Listener2 receiver = listener;
            if (receiver != null) {
                resolve(receiver);
            }
        }

        private void resolve(Listener2 receiver) {
            args.getOffloadExecutor().execute(() -> {
                StatusOr<List<EquivalentAddressGroup>> found = lookUp();
                args.getSynchronizationContext()
                        .execute(() -> receiver.onResult2(ResolutionResult.newBuilder()
                                .setAddressesOrError(found)
                                .build()));
            });
        }

        private StatusOr<List<EquivalentAddressGroup>> lookUp() {
            List<EquivalentAddressGroup> groups = new ArrayList<>();
            for (String address : addresses) {
                URI parsed = parsed(address);
                InetSocketAddress at = new InetSocketAddress(parsed.getHost(), parsed.getPort());
                if (!at.isUnresolved()) {
                    // Each replica's certificate is for its own name.
                    groups.add(new EquivalentAddressGroup(
                            at,
                            Attributes.newBuilder()
                                    .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, address)
                                    .build()));
                }
            }
            return groups.isEmpty()
                    ? StatusOr.fromStatus(Status.UNAVAILABLE.withDescription("cannot resolve any host of " + addresses))
                    : StatusOr.fromValue(groups);
        }

        @Override
        public void shutdown() {
            listener = null;
        }
    }
}

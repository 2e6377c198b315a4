package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.controlplane.WatchEvent;
import io.evenkeel.lab.controlplane.WatchProxy;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Faults that could occur between the API server and the state. They are injected on the way to a correct server. */
enum FeedFault {
    NONE {
        @Override
        Fault fault() {
            return new Fault() {
                @Override
                List<WatchEvent> altered(ObjectKind kind, WatchEvent event) {
                    return List.of(event);
                }
            };
        }
    },

    DELETED_POD_STAYS {
        @Override
        Fault fault() {
            return lost(ObjectKind.POD, "DELETED", 10);
        }
    },

    CHANGE_OF_A_POD_IS_LOST {
        @Override
        Fault fault() {
            return lost(ObjectKind.POD, "MODIFIED", 10);
        }
    },

    EVENT_OF_A_NODE_IS_LOST {
        @Override
        Fault fault() {
            return lost(ObjectKind.NODE, "", 5);
        }
    },

    OWNER_IS_LOST {
        @Override
        Fault fault() {
            return lost(ObjectKind.STATEFUL_SET, "ADDED", 2);
        }
    },

    /**
     * An event arrives after later ones. In between, the version that the server reports is wrong. After it has
     * arrived, the server reports none, so it must not arrive before queries start.
     */
    DELETED_POD_GOES_LATE {
        @Override
        Fault fault() {
            return new Fault() {
                private @Nullable WatchEvent late;
                private int since;

                @Override
                List<WatchEvent> altered(ObjectKind kind, WatchEvent event) {
                    if (kind == ObjectKind.POD
                            && late == null
                            && event.type().equals("DELETED")
                            && areQuestionsAsked()
                            && isDue(10)) {
                        late = event;
                        return List.of();
                    }
                    if (kind != ObjectKind.POD || late == null || ++since != 200) {
                        return List.of(event);
                    }
                    return List.of(event, late);
                }
            };
        }
    },

    /** A pod reverts to its state before its last change. */
    STALE_POD_IS_TAKEN {
        @Override
        Fault fault() {
            return new Fault() {
                private final Map<String, Pod> before = new HashMap<>();

                @Override
                List<WatchEvent> altered(ObjectKind kind, WatchEvent event) throws IOException {
                    if (kind != ObjectKind.POD || event.type().equals("BOOKMARK")) {
                        return List.of(event);
                    }
                    Pod pod = Pod.parseFrom(event.object());
                    Pod stale = before.put(pod.getMetadata().getUid(), pod);
                    if (stale == null || !event.type().equals("MODIFIED") || !isDue(10)) {
                        return List.of(event);
                    }
                    ObjectMeta metadata = stale.getMetadata().toBuilder()
                            .setResourceVersion(pod.getMetadata().getResourceVersion())
                            .build();
                    Message altered = stale.toBuilder().setMetadata(metadata).build();
                    return List.of(new WatchEvent("MODIFIED", altered.toByteString()));
                }
            };
        }
    },

    /** A pod is deleted while its watch ends with 410, and the following list does not remove it. */
    LIST_REMOVES_NOTHING {
        @Override
        Fault fault() {
            return new Fault() {
                private @Nullable WatchEvent gone;

                @Override
                List<WatchEvent> altered(ObjectKind kind, WatchEvent event) {
                    if (kind != ObjectKind.POD) {
                        return List.of(event);
                    }
                    if (gone == null && event.type().equals("DELETED") && isDue(10)) {
                        gone = new WatchEvent("ADDED", event.object());
                        return List.of(new WatchEvent("ERROR", expired()));
                    }
                    // Ignore what still arrives from the ended watch.
                    return gone != null && event.type().equals("ADDED") ? List.of(gone, event) : List.of(event);
                }
            };
        }
    };

    /** Creates a new fault. */
    abstract Fault fault();

    /** A fault that is injected occasionally. Thread-safe. */
    abstract static class Fault implements WatchProxy.Alteration {
        private int chances;
        private int made;
        private boolean asked;

        @Override
        public final synchronized List<WatchEvent> instead(ObjectKind kind, WatchEvent event) throws IOException {
            return altered(kind, event);
        }

        abstract List<WatchEvent> altered(ObjectKind kind, WatchEvent event) throws IOException;

        /** Whether to inject it at this opportunity: at one of {@code every}. */
        final boolean isDue(int every) {
            boolean due = ++chances % every == 0;
            made += due ? 1 : 0;
            return due;
        }

        /** Queries start now. */
        final synchronized void questionsAreAsked() {
            asked = true;
        }

        final boolean areQuestionsAsked() {
            return asked;
        }

        /** The number of injected faults. */
        final synchronized int made() {
            return made;
        }
    }

    /** @param type the type of the events, or empty for any except bookmarks */
    private static Fault lost(ObjectKind lost, String type, int oneIn) {
        return new Fault() {
            @Override
            List<WatchEvent> altered(ObjectKind kind, WatchEvent event) {
                boolean concerned = type.isEmpty()
                        ? !event.type().equals("BOOKMARK")
                        : event.type().equals(type);
                return kind == lost && concerned && isDue(oneIn) ? List.of() : List.of(event);
            }
        };
    }

    /** The Status of a watch whose resourceVersion is too old. */
    private static ByteString expired() {
        ByteString.Output bytes = ByteString.newOutput();
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeString(3, "too old resource version");
            out.writeString(4, "Expired");
            out.writeInt32(6, 410);
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteString();
    }
}

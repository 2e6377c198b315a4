package io.evenkeel.engine;

/** The owner reference with {@code controller: true} of an incoming pod. */
public record ControllerRef(String apiVersion, String kind, String name) {}

package io.evenkeel.loadtest.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of an object in a scenario's JSON. Errors name the path of a field that is missing or has the wrong
 * type.
 */
final class JsonFields {
    private final JsonObject json;
    private final String path;

    private JsonFields(JsonObject json, String path) {
        this.json = json;
        this.path = path;
    }

    static JsonFields of(JsonElement json, String path) throws CorpusFormatException {
        if (json instanceof JsonObject object) {
            return new JsonFields(object, path);
        }
        throw new CorpusFormatException((path.isEmpty() ? "the line" : path) + " must be an object");
    }

    JsonObject json() {
        return json;
    }

    String path() {
        return path;
    }

    String path(String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    boolean has(String field) {
        return json.has(field) && !json.get(field).isJsonNull();
    }

    Set<Map.Entry<String, JsonElement>> entries() {
        return json.entrySet();
    }

    String string(String field) throws CorpusFormatException {
        return string(json.get(field), path(field));
    }

    JsonFields object(String field) throws CorpusFormatException {
        JsonElement value = json.get(field);
        if (value == null) {
            throw new CorpusFormatException(path(field) + " must be an object, was missing");
        }
        return of(value, path(field));
    }

    /** The object in that field, or an empty object if the field is missing. */
    JsonFields objectOrEmpty(String field) throws CorpusFormatException {
        return has(field) ? object(field) : new JsonFields(new JsonObject(), path(field));
    }

    /** The objects of the list in that field, or none if the field is missing. */
    List<JsonFields> objects(String field) throws CorpusFormatException {
        List<JsonFields> objects = new ArrayList<>();
        for (JsonElement element : list(field)) {
            objects.add(of(element, path(field) + "[" + objects.size() + "]"));
        }
        return objects;
    }

    /** The strings of the list in that field, or none if the field is missing. */
    List<String> strings(String field) throws CorpusFormatException {
        List<String> strings = new ArrayList<>();
        for (JsonElement element : list(field)) {
            strings.add(string(element, path(field) + "[" + strings.size() + "]"));
        }
        return strings;
    }

    private JsonArray list(String field) throws CorpusFormatException {
        if (!has(field)) {
            return new JsonArray();
        }
        if (json.get(field) instanceof JsonArray array) {
            return array;
        }
        throw new CorpusFormatException(path(field) + " must be a list");
    }

    private static String string(@Nullable JsonElement value, String path) throws CorpusFormatException {
        if (value instanceof JsonPrimitive primitive && primitive.isString()) {
            return primitive.getAsString();
        }
        throw new CorpusFormatException(path + " must be a string, was " + (value == null ? "missing" : value));
    }
}

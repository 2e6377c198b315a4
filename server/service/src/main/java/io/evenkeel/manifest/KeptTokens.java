package io.evenkeel.manifest;

import com.fasterxml.jackson.core.JsonToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads kept tokens, at least one, again. */
final class KeptTokens implements Tokens {
    private final List<Token> tokens;
    private int at = -1;

    KeptTokens(List<Token> tokens) {
        this.tokens = tokens;
    }

    @Override
    public @Nullable JsonToken next() {
        at++;
        return current();
    }

    @Override
    public @Nullable JsonToken current() {
        return at < 0 || isAtEnd() ? null : tokens.get(at).type();
    }

    @Override
    public Token token() {
        return tokens.get(Math.max(0, Math.min(at, tokens.size() - 1)));
    }

    @Override
    public boolean isMerged() {
        return token().merged();
    }

    @Override
    public int line() {
        return token().line();
    }

    @Override
    public int column() {
        return token().column();
    }

    @Override
    public boolean isAtEnd() {
        return at >= tokens.size();
    }

    @Override
    public void close() {}
}

package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TokenListTest {
    private static TokenList read(String text) throws FileFormatException {
        return TokenList.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void tokens_areKnownByTheirNames() throws Exception {
        TokenList tokens = read("# Comment\n\n scheduler \t abcdefghijklmnop\nfeeder 0123456789.-_~+/=\n");
        assertEquals("scheduler", tokens.name(TokenList.hash("abcdefghijklmnop")));
        assertEquals("feeder", tokens.name(TokenList.hash("0123456789.-_~+/=")));
        assertNull(tokens.name(TokenList.hash("abcdefghijklmno")));
        assertNull(tokens.name(TokenList.hash("")));
        assertNull(tokens.name(new byte[0]));
        assertNull(TokenList.EMPTY.name(TokenList.hash("abcdefghijklmnop")));
    }

    /** Each is compared with all previous ones, so a file with too many must not be read to its end. */
    @Test
    void tokenBeyondTheLimit_isRefused_beforeItIsCompared() throws Exception {
        StringBuilder most = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            most.append("name")
                    .append(i)
                    .append(" secretsecretsecret")
                    .append(i)
                    .append('\n');
        }
        assertEquals("name999", read(most.toString()).name(TokenList.hash("secretsecretsecret999")));
        most.append("another secretsecretsecret0\n");
        FileFormatException refused = assertThrows(FileFormatException.class, () -> read(most.toString()));
        assertEquals("line 1001: there must be at most 1000 tokens", refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secretsecretsecret | line 1: must be a name and a token, separated by white space",
                "'a secretsecretsecret\nb secretsecret secret' | line 2: must be a name and a token, separated by white space",
                "a secretsecret | line 1: the token must have at least 16 characters, only letters, digits and ._~+/=-",
                "a secretsecret,secret | line 1: the token must have at least 16 characters, only letters, digits and ._~+/=-",
                "'a secretsecretsecret\na secretsecretsecre' | line 2: the name is already used in an earlier line",
                "'a secretsecretsecret\nb secretsecretsecret' | line 2: the token is already used in an earlier line",
            })
    void mistakes_areNamed_withoutTheToken(String text, String message) {
        FileFormatException refused = assertThrows(FileFormatException.class, () -> read(text));
        assertEquals(message, refused.getMessage());
        assertFalse(String.valueOf(refused.getMessage()).contains("secret"));
    }
}

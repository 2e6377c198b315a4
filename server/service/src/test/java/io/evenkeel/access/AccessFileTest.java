package io.evenkeel.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessFileTest {
    private static AccessRules read(String text) throws FileFormatException {
        return AccessFile.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void rules_areRead_andAddUp() throws Exception {
        AccessRules rules = read("""
                # Who may do what.
                rules:
                  - token: scheduler
                    may: [ask, reserve]
                  - certificate: feeder.example
                    may:
                      - feed
                  - {socket: /run/e.sock, may: [ask]}
                  - {group: "system:masters", may: [reserve]}
                  - {user: "system:serviceaccount:a:b", may: []}
                  - {token: scheduler, may: [feed]}
                """);
        Subject scheduler = new Subject(Subject.Kind.TOKEN, "scheduler");
        for (Right right : List.of(Right.ASK, Right.RESERVE, Right.FEED)) {
            assertTrue(rules.allow(List.of(scheduler), right));
        }
        Subject feeder = new Subject(Subject.Kind.CERTIFICATE, "feeder.example");
        assertTrue(rules.allow(List.of(feeder), Right.FEED));
        assertFalse(rules.allow(List.of(feeder), Right.ASK));
        assertTrue(rules.allow(List.of(feeder, new Subject(Subject.Kind.SOCKET, "/run/e.sock")), Right.ASK));
        assertTrue(rules.allow(List.of(new Subject(Subject.Kind.GROUP, "system:masters")), Right.RESERVE));
        assertFalse(rules.allow(List.of(new Subject(Subject.Kind.USER, "system:serviceaccount:a:b")), Right.ASK));
        // A name of one kind is not a name of another.
        assertFalse(rules.allow(List.of(new Subject(Subject.Kind.CERTIFICATE, "scheduler")), Right.ASK));
        assertFalse(rules.allow(List.of(), Right.ASK));
    }

    @Test
    void fileWithoutRules_allowsNothing() throws Exception {
        assertFalse(read("rules: []").allow(List.of(new Subject(Subject.Kind.TOKEN, "a")), Right.ASK));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | line 1: rules must not be missing",
                "{} | line 1: rules must not be missing",
                "rule: [] | line 1: rule is unknown: the only field is rules",
                "rules: 7 | line 1: rules must be a list",
                "'rules:\n- token: a' | line 2: rules[0].may must not be missing",
                "'rules:\n- may: [ask]' | line 2: rules[0] must have one of token, certificate, user, group, socket",
                "'rules:\n- token: a\n  may: [ask, all]' "
                        + "| line 3: rules[0].may[1] must be one of ask, reserve, feed, was 'all'",
                "'rules:\n- token: a\n  may: [operate]' "
                        + "| line 3: rules[0].may[0] must be one of ask, reserve, feed, was 'operate'",
                "'rules:\n- token: a\n  may: ask' | line 3: rules[0].may must be a list",
                "'rules:\n- token: a\n  group: b\n  may: []' | line 3: rules[0].group cannot be combined with token",
                "'rules:\n- tokn: a' | line 2: rules[0].tokn is unknown: "
                        + "fields are token, certificate, user, group, socket and may",
                "'rules:\n- token: \"\"\n  may: []' | line 2: rules[0].token must not be empty",
                "'rules:\n- token: [a]\n  may: []' | line 2: rules[0].token must be a string",
                "'rules: []\nrules: []' | line 2: rules is given twice",
                "'rules:\n- token: a\n  may: [ask]\n  may: [feed]' | line 4: rules[0].may is given twice",
                "'rules:\n- token: a\n  token: a\n  may: []' | line 3: rules[0].token is given twice",
                "'rules:\n- [' | line 2: is not valid YAML: expected the node content, but found '<stream end>'",
                "'!a%20 b' | line 1: is not valid YAML: Tag must not contain leading or trailing spaces.",
            })
    void mistakes_areNamed_withLineAndField(String text, String message) {
        FileFormatException refused = assertThrows(FileFormatException.class, () -> read(text));
        assertEquals(message, refused.getMessage());
    }

    @Test
    void filesThatWouldGrow_areRefused() {
        String bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nrules: *c\n";
        assertThrows(FileFormatException.class, () -> read(bomb));
        assertThrows(FileFormatException.class, () -> read("rules: &a [*a]"));
        for (String open : List.of("[", "{a: ", "- ", "? ")) {
            assertThrows(FileFormatException.class, () -> read("rules: " + open.repeat(100_000)), open);
            assertThrows(FileFormatException.class, () -> read("rules:\n" + open.repeat(100_000)), open);
        }
    }
}

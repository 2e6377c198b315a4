package io.evenkeel.loadtest.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.evenkeel.loadtest.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

final class ClaimsTest {
    @Test
    void claim_isBrokenAndReported_whenWhatWasGotDiffers() {
        StringWriter text = new StringWriter();
        Claims claims = new Claims(new Screen(new PrintWriter(text), Ansi.OFF));
        claims.equal("nodes", 3, 3);
        claims.equal("pods", 5, 4);
        assertEquals(2, claims.made());
        assertEquals(1, claims.broken());
        assertEquals("WRONG: pods must be 5, was 4", text.toString().strip());
    }
}

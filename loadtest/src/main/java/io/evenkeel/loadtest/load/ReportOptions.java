package io.evenkeel.loadtest.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the files of a report. */
public final class ReportOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write the result as JSON.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write the result as an HTML page with plots.")
    private @Nullable Path html;

    /**
     * Checks the options before a run.
     *
     * @throws IllegalArgumentException if an option is wrong; names the option
     */
    public void check() {
        OutputFile.requireWritable("--json", json);
        OutputFile.requireWritable("--html", html);
    }

    /**
     * Writes the requested files.
     *
     * @param owner the class whose package contains the page's template
     */
    public void write(Object report, Class<?> owner, String template) throws IOException {
        if (json != null) {
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), report);
        }
        if (html != null) {
            Files.writeString(html, ReportPage.of(report, owner, template));
        }
    }
}

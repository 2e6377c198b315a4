package io.evenkeel.loadtest.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * Writes a report as a self-contained HTML page: it contains the report as JSON, Chart.js, and a script that draws the
 * plots. Text of the report enters the page only through {@code textContent}, so that it cannot become markup.
 */
final class ReportPage {
    private static final String CHART_SCRIPT = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

    private ReportPage() {}

    /**
     * The page.
     *
     * @param owner the class whose package contains the template
     */
    static String of(Object report, Class<?> owner, String template) throws IOException {
        return text(owner, template).replace("@CHART@", chartScript()).replace("@REPORT@", json(report));
    }

    /** The report as JSON, escaped so that no text in it can end the script element around it. */
    private static String json(Object report) throws IOException {
        return new ObjectMapper().writeValueAsString(report).replace("<", "\\u003c");
    }

    private static String chartScript() throws IOException {
        Properties chart = new Properties();
        try (InputStream properties = open(ReportPage.class, "chart.properties")) {
            chart.load(properties);
        }
        // Drop the last line, which names a source map that is not in the page.
        return text(ReportPage.class, CHART_SCRIPT.formatted(chart.getProperty("version")))
                .replaceAll("(?m)^//# sourceMappingURL=.*$", "");
    }

    private static String text(Class<?> owner, String resource) throws IOException {
        try (InputStream bytes = open(owner, resource)) {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream open(Class<?> owner, String resource) throws IOException {
        InputStream bytes = owner.getResourceAsStream(resource);
        if (bytes == null) {
            throw new IOException("the jar has no " + resource);
        }
        return bytes;
    }
}

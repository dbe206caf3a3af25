package peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The files of the workload; the folder is the property {@code workload}. */
final class Workload {
    /** A call of one method with one String argument. */
    record Call(String method, Map<String, Object> attachments) {}

    interface Route<I> {
        List<?> of(I invocation);
    }

    private static final Pattern CALL =
            Pattern.compile("\"method\":\"(\\w+)\".*\"attachments\":\\{(?:\"([\\w.]+)\":\"(\\w+)\")?\\}\\}");

    static String text(String name) {
        try {
            return Files.readString(Path.of(System.getProperty("workload"), name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The texts of the first n providers. For the chain they carry {@code remote.application} too, as after the merge
     * in a consumer's directory: without it every notification logs errors, and a router of 3.3 stays silent.
     */
    static List<String> providers(String workload, int n) {
        List<String> lines = Arrays.asList(text("providers-" + n + ".txt").trim().split("\n"));
        if (lines.size() != n) throw new IllegalStateException(lines.size() + " providers, not " + n);
        if (!workload.equals("W5")) return lines;
        return lines.stream().map(line -> line + "&remote.application=provider-app").collect(Collectors.toList());
    }

    static Call call(String workload) {
        for (String line : text("calls.txt").split("\n")) {
            if (!line.startsWith(workload + " ")) continue;
            Matcher found = CALL.matcher(line);
            boolean oneArgument = line.contains("\"types\":[\"java.lang.String\"],\"args\":[\"alice\"]");
            if (!found.find() || !oneArgument) throw new IllegalStateException(line);
            Map<String, Object> attachments = new HashMap<>();
            if (found.group(2) != null) attachments.put(found.group(2), found.group(3));
            return new Call(found.group(1), attachments);
        }
        throw new IllegalArgumentException(workload);
    }

    /** Dubbo logs through java.util.logging here, and that says nothing. */
    static void silence() {
        System.setProperty("dubbo.application.logger", "jdk");
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
    }
}

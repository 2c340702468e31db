import FilesinkiCommands
import FilesinkiModel
import Testing

/// Reads the output of a watch, restores the store when it is reported missing, and ends after a reported
/// run: then the watch ends.
final class WatchReader: ByteSink {
    private let told = MemorySink()
    private let bringBack: @Sendable () -> Void

    init(bringBack: @escaping @Sendable () -> Void) { self.bringBack = bringBack }

    var text: String { String(decoding: told.bytes, as: UTF8.self) }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard !text.contains("\"type\":\"result\"") else { throw gone }
        try told.write(bytes)
        if String(decoding: bytes, as: UTF8.self).contains("\"type\":\"waiting\"") { bringBack() }
        guard !text.contains("\"type\":\"result\"") else { throw gone }
    }

    private var gone: Failure {
        Failure(.io, "Nobody reads this any more.", remedy: "")
    }
}

extension World {
    /// A line of a scene: a command line, `write PATH TEXT`, `folder PATH`, `move OLD NEW` or `set VARIABLE VALUE`.
    func perform(_ line: String) async throws {
        wait(seconds: 1)
        let words = line.split(separator: " ").map(String.init)
        switch words[0] {
        case "write": try write(words[2] + "\n", to: words[1])
        case "folder": try makeFolder(words[1])
        case "move": rename(words[1], to: words[2])
        case "set": set(words[1], to: words[2])
        default:
            let outcome = try await run(bytes: words.map { Array($0.utf8) })
            try #require(
                outcome.code == .done || outcome.code == .conflict, "\(line): \(outcome.talk)")
        }
    }

    /// A text without what differs from machine to machine: where the world is, and how well a
    /// version of a library compresses.
    func stripped(_ text: String) -> String {
        var text = text.split(separator: folder, omittingEmptySubsequences: false)
            .joined(separator: "WORLD")
        for member in [
            "sent_bytes\":", "object_bytes\":", "written_bytes\":", "liblzma\":\"", "libzstd\":\"",
            "zlib\":\"",
        ] {
            text = Self.masked(text, after: member)
        }
        return text
    }

    private static func masked(_ text: String, after member: String) -> String {
        let parts = text.split(separator: member, omittingEmptySubsequences: false)
        let rest = parts.dropFirst().map { part in
            "N" + part.drop { $0.isNumber || $0 == "." }
        }
        return ([String(parts[0])] + rest).joined(separator: member)
    }
}

import FilesinkiText

/// A replica's note of the ignore files of users, and of their settings that let `.gitignore` files apply: the paths, and what a
/// run has last read there.
package struct UserIgnoreNote: Equatable, Sendable {
    /// The ignore files, in the order of their paths.
    package let files: [RulesLoad.DeviceFile]
    /// The settings files, in the order of their paths.
    package let settings: [RulesLoad.DeviceFile]

    /// - Parameters:
    ///   - files: Ignore files. One without rules is left out.
    ///   - settings: Settings files. One by which `.gitignore` files do not apply is left out.
    package init(_ files: [RulesLoad.DeviceFile], settings: [RulesLoad.DeviceFile]) {
        self.files = files.filter(\.hasPatterns).sorted { $0.path < $1.path }
        self.settings = settings.filter { RulesLoad(synced: nil, device: [$0]).gitignore }
            .sorted { $0.path < $1.path }
    }

    /// Lines of `ignore` or `settings`, a percent-encoded path, and the bytes in base 64.
    package var bytes: [UInt8] {
        let lines = [("ignore", files), ("settings", settings)].flatMap { word, files in
            files.map { file in
                "\(word) \(PercentCoding.encodePath(file.path)) \(Base64.encode(file.bytes))\n"
            }
        }
        return Array(lines.joined().utf8)
    }

    /// Reads what ``bytes`` has written; nil if a line is invalid.
    package init?(_ bytes: [UInt8]) {
        var files: [Substring: [RulesLoad.DeviceFile]] = ["ignore": [], "settings": []]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 3, files[words[0]] != nil,
                let path = PercentCoding.decodedText(words[1]),
                let content = Base64.decode(words[2])
            else { return nil }
            files[words[0]]?.append(RulesLoad.DeviceFile(path: path, bytes: content))
        }
        self.init(files["ignore"] ?? [], settings: files["settings"] ?? [])
    }
}

extension RulesLoad.DeviceFile {
    /// Whether the file, as an ignore file, has a pattern.
    var hasPatterns: Bool { !IgnoreRules(bytes).isEmpty }
}

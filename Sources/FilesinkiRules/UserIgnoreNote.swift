import FilesinkiText

/// A replica's note of the ignore files of users: their paths, and what a run has last read there.
package struct UserIgnoreNote: Equatable, Sendable {
    /// In the order of their paths.
    package let files: [RulesLoad.DeviceFile]

    /// - Parameter files: A file without rules is left out.
    package init(_ files: [RulesLoad.DeviceFile]) {
        self.files = files.filter(\.hasPatterns).sorted { $0.path < $1.path }
    }

    /// Lines of a percent-encoded path and of the bytes in base 64.
    package var bytes: [UInt8] {
        let lines = files.map { file in
            "\(PercentCoding.encodePath(file.path)) \(Base64.encode(file.bytes))\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Reads what ``bytes`` has written; nil if a line is invalid.
    package init?(_ bytes: [UInt8]) {
        var files: [RulesLoad.DeviceFile] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let path = PercentCoding.decodedText(words[0]),
                let content = Base64.decode(words[1])
            else { return nil }
            files.append(RulesLoad.DeviceFile(path: path, bytes: content))
        }
        self.init(files)
    }
}

extension RulesLoad.DeviceFile {
    /// Whether the file, as an ignore file, has a pattern.
    var hasPatterns: Bool { !IgnoreRules(bytes).isEmpty }
}

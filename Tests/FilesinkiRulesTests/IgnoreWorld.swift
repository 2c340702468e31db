import FilesinkiModel

@testable import FilesinkiRules

/// A tree with ignore files, and paths in it to ask about.
struct IgnoreWorld {
    /// The rules, by the folder that holds the file; empty for the root.
    var rules: [[UInt8]: [UInt8]] = [:]
    /// All that is a folder; everything else is a file.
    private(set) var folders: Set<[UInt8]> = []
    private(set) var paths: [[UInt8]] = []

    /// Adds a path to ask about; its parents become folders.
    mutating func add(_ path: [UInt8], isDirectory: Bool) {
        paths.append(path)
        if isDirectory { folders.insert(path) }
        for (index, byte) in path.enumerated() where byte == UInt8(ascii: "/") {
            folders.insert(Array(path[..<index]))
        }
    }

    /// Our answer, as `file:line:pattern` with the pattern printable; nil when no rule matches.
    func explain(_ path: [UInt8]) -> String? {
        let root = IgnoreFilter(gitignore: true) { name in
            name == ".gitignore" ? rules[[]] : nil
        }
        let match = root.explain(
            RelativePath(unchecked: path), isDirectory: folders.contains(path)
        ) { file in
            file.name.elementsEqual(".gitignore".utf8) ? rules[file.parent?.bytes ?? []] : nil
        }
        return match.map {
            "\($0.file?.description ?? "built-in"):\($0.line):\(printable($0.pattern))"
        }
    }

    func describe(_ path: [UInt8]) -> String {
        let files = rules.map { "\(printable($0.key)): '\(printable($0.value))'" }
        let slash = folders.contains(path) ? "/" : ""
        return "'\(printable(path))\(slash)' under \(files.sorted().joined(separator: ", "))"
    }
}

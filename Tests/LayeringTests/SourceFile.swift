import Glibc

/// One Swift file of the package.
struct SourceFile {
    /// The target whose folder it is in.
    var target: String
    /// From the package's folder on, such as `Sources/FilesinkiModel/Entry.swift`.
    var path: String
    let text: String
    /// Split once: every rule reads them, and these tests are not optimized.
    let lines: [Substring]

    init(target: String, path: String, text: String) {
        (self.target, self.path, self.text) = (target, path, text)
        lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { Substring($0) }
    }

    var isGenerated: Bool { path.hasSuffix(".pb.swift") }

    /// Whether a text occurs anywhere in it.
    func holds(_ word: String) -> Bool { text[...].holds(word) }

    /// The modules that it imports.
    var imports: Set<String> {
        let line =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|typealias|let)\s+)?(\w+)/
        return Set(
            lines.filter { $0.holds("import") }
                .compactMap { $0.firstMatch(of: line).map { String($0.output.1) } })
    }

    /// The modules whose types may be in its own module's API.
    var publicImports: Set<String> {
        let shown = lines.filter { line in
            let words = line.split(separator: " ").prefix { $0 != "import" }
            return words.count < line.split(separator: " ").count
                && words.contains { $0 == "public" || $0 == "@_exported" }
        }
        return SourceFile(target: target, path: path, text: shown.joined(separator: "\n")).imports
    }

    /// The lines without what follows `//`, each with its number from 1 on.
    var code: [(number: Int, line: Substring)] {
        lines.enumerated().map { number, line in
            guard line.holds("//") else { return (number + 1, line) }
            return (number + 1, line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
        }
    }
}

extension Substring {
    /// Whether a text occurs in this one. Where nothing is optimized, `contains` takes most of the time of these tests.
    func holds(_ word: String) -> Bool {
        withCString { text in word.withCString { strstr(text, $0) != nil } }
    }
}

/// The package as it lies on the disk.
struct SourceTree {
    var manifest: PackageManifest
    var sources: [SourceFile]
    var tests: [SourceFile]

    init() throws {
        // Three steps up: the file, the target's folder, `Tests`.
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        manifest = PackageManifest(parsing: try contents(of: root + "/Package.swift"))
        sources = try files(below: "Sources", of: root)
        tests = try files(below: "Tests", of: root)
    }
}

/// A file or folder of the package that could not be read.
struct UnreadableFile: Error { var path: String }

private func files(below folder: String, of root: String) throws -> [SourceFile] {
    try names(in: "\(root)/\(folder)").sorted().flatMap { target in
        try swiftFiles(below: "\(folder)/\(target)", of: root).map { path in
            SourceFile(target: target, path: path, text: try contents(of: "\(root)/\(path)"))
        }
    }
}

private func swiftFiles(below folder: String, of root: String) throws -> [String] {
    try names(in: "\(root)/\(folder)").sorted().flatMap { name in
        let path = "\(folder)/\(name)"
        if name.hasSuffix(".swift") { return [path] }
        var status = stat()
        guard lstat("\(root)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return []
        }
        return try swiftFiles(below: path, of: root)
    }
}

private func names(in folder: String) throws -> [String] {
    guard let stream = opendir(folder) else {
        // A file among the folders holds no names.
        if errno == ENOTDIR { return [] }
        throw UnreadableFile(path: folder)
    }
    defer { closedir(stream) }
    var result: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { result.append(name) }
    }
    return result
}

private func contents(of path: String) throws -> String {
    guard let file = fopen(path, "re") else { throw UnreadableFile(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = fread(&buffer, 1, 64 * 1024, file)
        if count == 0 { break }
        bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}

package import FilesinkiModel
import Glibc

/// A tree of files as a value that can be written to disk, read from disk, and compared.
///
/// ```
/// let tree: TreeFixture = [
///     "a": .file("text"), "d": .directory(["b": .file("y", mode: 0o755)]), "l": .symlink("a"),
/// ]
/// ```
package struct TreeFixture: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The file at one name.
    package indirect enum Node: Hashable, Sendable {
        /// A time of nil is not set when written. ``TreeFixture/read(_:times:leavesOut:)`` returns nil unless
        /// asked for times.
        case bytes([UInt8], mode: UInt16, modified: Timestamp?)
        case folder(TreeFixture, mode: UInt16)
        case link([UInt8])
        /// A named pipe, socket or device.
        case special

        package static func file(
            _ text: String, mode: UInt16 = 0o644, modified: Timestamp? = nil
        ) -> Node { .bytes(Array(text.utf8), mode: mode, modified: modified) }

        package static func directory(_ tree: TreeFixture = [:], mode: UInt16 = 0o755) -> Node {
            .folder(tree, mode: mode)
        }

        package static func symlink(_ target: String) -> Node { .link(Array(target.utf8)) }
    }

    /// A name as bytes, which distinguishes NFC from NFD and need not be UTF-8.
    package struct Name: Hashable, Sendable, Comparable, ExpressibleByStringLiteral {
        package var bytes: [UInt8]

        package init(_ bytes: [UInt8]) { self.bytes = bytes }

        package init(stringLiteral text: String) { bytes = Array(text.utf8) }

        package static func < (left: Name, right: Name) -> Bool {
            compare(left.bytes, right.bytes) < 0
        }
    }

    package var nodes: [Name: Node]

    package init(_ nodes: [Name: Node] = [:]) { self.nodes = nodes }

    package init(dictionaryLiteral elements: (Name, Node)...) {
        nodes = Dictionary(elements) { $1 }
    }

    package subscript(_ name: Name) -> Node? {
        get { nodes[name] }
        set { nodes[name] = newValue }
    }
}

extension TreeFixture.Node {
    /// Compares contents at once: tests are not optimized, and some have contents of megabytes.
    package static func == (left: TreeFixture.Node, right: TreeFixture.Node) -> Bool {
        switch (left, right) {
        case (.bytes(let ours, let mode, let modified), .bytes(let theirs, let other, let time)):
            mode == other && modified == time && compare(ours, theirs) == 0
        case (.folder(let ours, let mode), .folder(let theirs, let other)):
            mode == other && ours == theirs
        case (.link(let ours), .link(let theirs)): ours == theirs
        case (.special, .special): true
        case (.bytes, _), (.folder, _), (.link, _), (.special, _): false
        }
    }
}

extension TreeFixture.Name {
    package static func == (left: TreeFixture.Name, right: TreeFixture.Name) -> Bool {
        compare(left.bytes, right.bytes) == 0
    }
}

extension TreeFixture: CustomStringConvertible {
    /// One line for each path, in order, for the messages of failing tests.
    package var description: String { "\n" + lines(below: []).joined(separator: "\n") }

    private func lines(below parent: [UInt8]) -> [String] {
        nodes.sorted { $0.key < $1.key }.flatMap { name, node in
            let path = parent + name.bytes
            let shown = printable(path)
            return switch node {
            case .bytes(let bytes, let mode, let modified):
                [
                    "\(shown) \(String(mode, radix: 8)) \(printable(bytes.prefix(60)))"
                        + (modified.map { " @\($0.nanoseconds)" } ?? "")
                ]
            case .folder(let tree, let mode):
                ["\(shown)/ \(String(mode, radix: 8))"]
                    + tree.lines(below: path + [UInt8(ascii: "/")])
            case .link(let target): ["\(shown) -> \(printable(target))"]
            case .special: ["\(shown) (special)"]
            }
        }
    }
}

extension TreeFixture {
    /// Writes the tree into a folder, which is created if it is missing. Replaces files at the tree's names,
    /// and keeps others.
    ///
    /// - Throws: ``FixtureError``.
    package func write(to folder: String) throws { try write(Array(folder.utf8)) }

    /// Reads a folder as a tree, without the top-level names for which `leavesOut` returns true.
    ///
    /// - Parameter times: Whether to read the modification times of files.
    /// - Throws: ``FixtureError`` when something cannot be read.
    package static func read(
        _ folder: String, times: Bool = false,
        leavesOut: (Name) -> Bool = { $0.bytes.elementsEqual(RelativePath.stateFolder.utf8) }
    ) throws -> TreeFixture {
        var tree = try read(Array(folder.utf8), times)
        tree.nodes = tree.nodes.filter { !leavesOut($0.key) }
        return tree
    }

    private func write(_ folder: [UInt8]) throws {
        try check("mkdir", folder, allowing: EEXIST) { mkdir($0, 0o755) }
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            let path = folder + [UInt8(ascii: "/")] + name.bytes
            switch node {
            case .bytes(let bytes, let mode, let modified):
                removeTree(path)
                try writeFile(bytes, mode, path)
                if let modified { try setTime(modified, path) }
            case .folder(let tree, let mode):
                if try Self.status(path)?.isDirectory != true { removeTree(path) }
                try tree.write(path)
                try check("chmod", path) { chmod($0, mode_t(mode)) }
            case .link(let target):
                removeTree(path)
                try check("symlink", path) { link in withPath(target) { symlink($0, link) } }
            case .special:
                removeTree(path)
                try check("mkfifo", path) { mkfifo($0, 0o644) }
            }
        }
    }

    private func writeFile(_ bytes: [UInt8], _ mode: UInt16, _ path: [UInt8]) throws {
        let file = withPath(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard file >= 0 else { throw failed("open", path) }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failed("write", path) }
            rest = rest.dropFirst(count)
        }
        guard fchmod(file, mode_t(mode)) == 0 else { throw failed("fchmod", path) }
    }

    private func setTime(_ modified: Timestamp, _ path: [UInt8]) throws {
        let time = timespec(tv_sec: Int(modified.seconds), tv_nsec: Int(modified.remainder))
        try check("utimensat", path) {
            utimensat(AT_FDCWD, $0, [time, time], AT_SYMLINK_NOFOLLOW)
        }
    }

    private static func read(_ folder: [UInt8], _ times: Bool) throws -> TreeFixture {
        var tree = TreeFixture()
        for name in try namesInFolder(folder) {
            let path = folder + [UInt8(ascii: "/")] + name
            guard let status = try status(path) else { throw failed("lstat", path) }
            let mode = UInt16(status.st_mode & 0o777)
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                let modified = Timestamp(
                    seconds: Int64(status.st_mtim.tv_sec),
                    nanoseconds: Int64(status.st_mtim.tv_nsec))
                tree[Name(name)] = .bytes(
                    try contents(path), mode: mode, modified: times ? modified : nil)
            case S_IFDIR: tree[Name(name)] = .folder(try read(path, times), mode: mode)
            case S_IFLNK: tree[Name(name)] = .link(try target(path))
            default: tree[Name(name)] = .special
            }
        }
        return tree
    }

    private static func contents(_ path: [UInt8]) throws -> [UInt8] {
        let file = withPath(path) { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard file >= 0 else { throw failed("open", path) }
        defer { close(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(file, &buffer, 64 * 1024)
            guard count >= 0 else { throw failed("read", path) }
            if count == 0 { return result }
            result += buffer[..<count]
        }
    }

    private static func target(_ path: [UInt8]) throws -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = withPath(path) { readlink($0, &buffer, 4096) }
        guard count >= 0 else { throw failed("readlink", path) }
        return buffer[..<count].map { UInt8(bitPattern: $0) }
    }

    private static func status(_ path: [UInt8]) throws -> stat? {
        var status = stat()
        if withPath(path, { lstat($0, &status) }) == 0 { return status }
        guard errno == ENOENT else { throw failed("lstat", path) }
        return nil
    }
}

extension stat {
    fileprivate var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
}

private func failed(_ call: String, _ path: [UInt8]) -> FixtureError {
    FixtureError(call, printable(path), errno)
}

private func check(
    _ call: String, _ path: [UInt8], allowing allowed: Int32 = 0,
    _ body: (UnsafePointer<CChar>) -> Int32
) throws {
    guard withPath(path, body) == 0 || errno == allowed else { throw failed(call, path) }
}

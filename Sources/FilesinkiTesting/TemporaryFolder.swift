import Glibc

/// A fresh folder below the system's temporary folder; it goes, with all that is in it, when the last
/// reference to this value does.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: Whether to prefer a file system in memory, where syncing costs nothing.
    /// - Throws: ``FixtureFailure`` when the folder cannot be made.
    package init(inMemory: Bool = false) throws {
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : usual
        var template = Array("\(parent)/filesinki-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FixtureFailure("mkdtemp", parent, errno) }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit { removeTree(Array(path.utf8)) }

    /// The path of something inside.
    package func path(_ name: String) -> String { path + "/" + name }
}

/// What the system refused while a fixture was made or read.
package struct FixtureFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String, _ path: String, _ error: Int32) {
        description = "\(call) \(path): \(String(cString: strerror(error)))"
    }
}

/// Removes what is at a path, and all below it; what is not there is no failure.
package func removeTree(_ path: [UInt8]) {
    withPath(path) { name in
        var status = stat()
        guard lstat(name, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(name)
            return
        }
        // A test may have taken the permission to look into it.
        chmod(name, 0o700)
        for child in (try? namesInFolder(path)) ?? [] {
            removeTree(path + [UInt8(ascii: "/")] + child)
        }
        rmdir(name)
    }
}

/// The names in a folder, as bytes, in byte order.
func namesInFolder(_ path: [UInt8]) throws -> [[UInt8]] {
    guard let stream = withPath(path, { opendir($0) }) else {
        throw FixtureFailure("opendir", String(decoding: path, as: UTF8.self), errno)
    }
    defer { closedir(stream) }
    var result: [[UInt8]] = []
    while let entry = readdir(stream) {
        let name = Array(
            UnsafeBufferPointer(start: text(of: entry), count: strlen(text(of: entry)))
        )
        .map { UInt8(bitPattern: $0) }
        if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { result.append(name) }
    }
    return result.sorted { $0.lexicographicallyPrecedes($1) }
}

private func text(of entry: UnsafeMutablePointer<dirent>) -> UnsafePointer<CChar> {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    return UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
}

/// Calls `body` with the path as the system wants it.
@discardableResult
func withPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) throws -> Result) rethrows
    -> Result
{
    try (path + [0]).withUnsafeBufferPointer { buffer in
        try buffer.withMemoryRebound(to: CChar.self) { text in
            guard let base = text.baseAddress else { preconditionFailure("never empty") }
            return try body(base)
        }
    }
}

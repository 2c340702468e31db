import Glibc

/// A new folder below the system's temporary folder, removed with its contents when this object is
/// deallocated.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter inMemory: Whether to prefer a file system in memory, where syncing costs nothing.
    /// - Throws: ``FixtureError`` when the folder cannot be created.
    package init(inMemory: Bool = false) throws {
        let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let parent = inMemory && Self.hasRoomInMemory ? "/dev/shm" : usual
        var template = Array("\(parent)/filesinki-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FixtureError("mkdtemp", parent, errno) }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit { removeTree(Array(path.utf8)) }

    /// Whether `/dev/shm` has 1 GiB free. In a container it has 64 MB by default, too little for all tests at once.
    private static let hasRoomInMemory: Bool = {
        var space = statvfs()
        guard access("/dev/shm", W_OK) == 0, statvfs("/dev/shm", &space) == 0 else { return false }
        return UInt64(space.f_bavail) * UInt64(space.f_frsize) >= 1 << 30
    }()

    /// The path of a name in the folder.
    package func path(_ name: String) -> String { path + "/" + name }
}

/// A system call failed while a fixture was created or read.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String, _ path: String, _ error: Int32) {
        description = "\(call) \(path): \(String(cString: strerror(error)))"
    }
}

/// Removes a file or a folder with its contents, if it exists. Ignores errors.
package func removeTree(_ path: [UInt8]) {
    withPath(path) { name in
        var status = stat()
        guard lstat(name, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(name)
            return
        }
        // A test may have removed the permission to read it.
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
        throw FixtureError("opendir", String(decoding: path, as: UTF8.self), errno)
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

/// Calls `body` with the path as a C string.
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

/// A file system in memory that a test mounts over folders. It is removed when this object is deallocated.
package final class MemoryDisk: Sendable {
    private let folder: String

    private static let readOnly: UInt = 1
    private static let remount: UInt = 32
    private static let bind: UInt = 4096

    /// Nil, with a message, without the permission to mount.
    ///
    /// - Parameter folder: An empty folder for the disk itself; created if it is missing.
    package init?(at folder: String) {
        mkdir(folder, 0o755)
        self.folder = folder
        guard mount("tmpfs", folder, "tmpfs", 0, "size=4m,mode=755") == 0 else {
            print("left out: only root may mount a disk")
            return nil
        }
    }

    deinit { umount2(folder, Int32(MNT_DETACH)) }

    /// Refuses all writes from now on.
    package func makeReadOnly() throws {
        guard mount("tmpfs", folder, "tmpfs", Self.readOnly | Self.remount, nil) == 0 else {
            throw FixtureError("mount", folder, errno)
        }
    }

    /// Takes all room that is left.
    package func fill() throws {
        guard let file = fopen(folder + "/filler", "w") else {
            throw FixtureError("fopen", folder, errno)
        }
        setvbuf(file, nil, _IONBF, 0)
        let page = [UInt8](repeating: 1, count: 4096)
        while fwrite(page, 1, page.count, file) == page.count {}
        fclose(file)
    }

    /// Mounts the disk at another folder, too, while `body` runs.
    package func shown<Result>(
        at place: String, _ body: () async throws -> Result
    ) async throws -> Result {
        guard mount(folder, place, nil, Self.bind, nil) == 0 else {
            throw FixtureError("mount", place, errno)
        }
        defer { umount2(place, Int32(MNT_DETACH)) }
        return try await body()
    }
}

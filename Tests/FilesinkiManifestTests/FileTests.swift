import FilesinkiManifest
import FilesinkiModel
import Glibc
import Testing

@Suite struct FileTests {
    let temporary: TemporaryManifest

    init() throws { temporary = try TemporaryManifest() }

    @Test func `creates a manifest only when asked to`() throws {
        for open in [
            { try ManifestDatabase.open(at: temporary.path, create: false) },
            { try ManifestDatabase.openReadOnly(at: temporary.path) },
        ] {
            let failure = #expect(throws: Failure.self) { try open() }
            #expect(failure?.code == .notFound)
        }
        #expect(temporary.names == [])
    }

    @Test func `names the missing folder`() throws {
        let failure = #expect(throws: Failure.self) {
            try ManifestDatabase.open(at: temporary.path + "/none/manifest", create: true)
        }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array((temporary.path + "/none/manifest").utf8))
    }

    @Test func `keeps a manifest private`() throws {
        let manifest = try temporary.open()
        try Samples.fill(manifest)
        for name in temporary.names {
            var status = stat()
            #expect(stat(temporary.folder + "/" + name, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(temporary.names.count == 3)
    }

    @Test func `completes a manifest that a kill left empty`() throws {
        try temporary.write([])
        try Samples.fill(temporary.open())
        #expect(try Contents(of: temporary.open()) == .samples)
    }

    @Test func `opens a path that is not text`() throws {
        let path = Array(temporary.folder.utf8) + [0x2F, 0xFF, 0xFE]
        try Samples.fill(.open(at: path, create: true))
        #expect(try Contents(of: .openReadOnly(at: path)) == .samples)
        #expect(path.withUnsafeBytes { unlink(Array($0.bindMemory(to: CChar.self)) + [0]) } == 0)
    }

    @Test func `sets a damaged manifest aside with its WAL, in place of an older one`() throws {
        for content in [[1], [2]] as [[UInt8]] {
            try temporary.write(content)
            try temporary.write(content, to: "manifest-wal")
            try ManifestDatabase.setAside(temporary.path)
            #expect(temporary.names == ["manifest-damaged", "manifest-damaged-wal"])
            #expect(try temporary.read("manifest-damaged") == content)
            #expect(try temporary.read("manifest-damaged-wal") == content)
        }
        try temporary.write([3])
        try ManifestDatabase.setAside(temporary.path)
        #expect(temporary.names == ["manifest-damaged"])
        try Samples.fill(temporary.open())
        #expect(try Contents(of: temporary.open()) == .samples)
    }

    @Test func `sets nothing aside where there is no manifest`() throws {
        try ManifestDatabase.setAside(temporary.path)
        #expect(temporary.names == [])
    }

    /// Without the lock of an open connection a command beside it removes the log that the connection uses.
    @Test func `another opening leaves the locks of an open manifest`() throws {
        let manifest = try temporary.open()
        try Samples.fill(manifest)
        // Closed last: that gives up this process's locks, too.
        let file = open(temporary.path, O_RDWR)
        defer { close(file) }
        #expect(Self.isLocked(file))
        _ = try temporary.open()
        _ = try ManifestDatabase.openReadOnly(at: temporary.path)
        #expect(Self.isLocked(file))
        withExtendedLifetime(manifest) {}
    }

    /// Whether a connection of any process has one of SQLite's locks, which are on bytes from 2^30 on.
    private static func isLocked(_ file: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 1 << 30
        lock.l_len = 512
        // Locks of an open file do not belong to the process: those of this process are seen.
        let ofdGetLock: Int32 = 36
        return fcntl(file, ofdGetLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}

import CKernel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// What openat2(2) does, and what takes its place where it is missing.
@Suite struct StepwiseTests {
    /// A file, a folder or symlink for each way in which a path can be wrong.
    let tree: TemporaryTree

    init() throws {
        tree = try TemporaryTree()
        for folder in ["d", "d/e"] { try tree.makeFolder(folder) }
        try tree.write("x", to: "d/e/f")
        try tree.link("e", at: "d/inside")
        try tree.link("../..", at: "d/outside")
        try tree.link("nowhere", at: "d/broken")
        try tree.link("/etc", at: "d/absolute")
    }

    static let paths = [
        ".", "d", "d/e", "d/e/f", "./d/./e", "d/e/f/g", "d/none", "d/none/f", "d/inside",
        "d/inside/f",
        "d/outside", "d/outside/x", "d/broken", "d/broken/x", "d/absolute", "d/absolute/passwd", "",
        "/etc", "/", "..", "../x", String(repeating: "n", count: 256),
        String(repeating: "d/", count: 2500) + "x",
    ]

    static let flags: [Int32] = [
        O_RDONLY, O_RDONLY | O_DIRECTORY, O_RDONLY | O_NOFOLLOW, fsk_path_only,
        fsk_path_only | O_DIRECTORY, fsk_path_only | O_NOFOLLOW, O_WRONLY | O_CREAT | O_EXCL,
    ]

    @Test("gives the file or the error that openat2 gives", arguments: paths)
    func agrees(_ path: String) throws {
        for flags in Self.flags {
            let expected = outcome(path, flags, fsk_open_beneath)
            #expect(outcome(path, flags, fsk_open_stepwise) == expected, "\(path) \(flags)")
        }
    }

    @Test func `a folder on the path that becomes a symlink is not followed`() throws {
        let folder = fsk_open_stepwise(
            tree.root.descriptor.raw, "d/e", fsk_path_only | O_DIRECTORY, 0)
        defer { close(folder) }
        #expect(folder >= 0)
        try #require(rename(tree.absolute("d/e"), tree.absolute("d/was")) == 0)
        try tree.link("/etc", at: "d/e")
        #expect(fsk_open_stepwise(tree.root.descriptor.raw, "d/e/passwd", O_RDONLY, 0) < 0)
        #expect(errno == ELOOP)
        // What was opened before is still the folder.
        let file = fsk_open_stepwise(folder, "f", O_RDONLY, 0)
        #expect(file >= 0)
        close(file)
    }

    /// The error, or which file was opened.
    private func outcome(
        _ path: String, _ flags: Int32,
        _ open: (Int32, UnsafePointer<CChar>, Int32, UInt32) -> Int32
    ) -> [UInt64] {
        let file = open(tree.root.descriptor.raw, path, flags, 0o600)
        guard file >= 0 else { return [UInt64(errno)] }
        defer {
            close(file)
            // What was created, for the next call to create it, too.
            if flags & O_CREAT != 0 { unlinkat(tree.root.descriptor.raw, path, 0) }
        }
        var status = stat()
        fstat(file, &status)
        // A file that was created is another one each time.
        return [0, flags & O_CREAT == 0 ? UInt64(status.st_ino) : 0, UInt64(status.st_mode)]
    }
}

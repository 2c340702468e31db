import FilesinkiModel
import FilesinkiSystem
import Glibc

/// A file, or standard input, that a command reads.
final class InputFile: Sendable {
    private let file: NamedFile?
    private let descriptor: Int32
    /// What a message calls it.
    let name: String

    /// - Parameter argument: A file's path as the user typed it; nil or `-` for standard input.
    convenience init(_ argument: String?, in console: Console) throws(Failure) {
        guard let argument, argument != "-" else {
            self.init(descriptor: console.input)
            return
        }
        let typed = ArgumentText.bytes(of: argument)
        let place = FilePlace.absolute(typed, in: console.currentFolder)
        try self.init(place: place, flags: 0, name: printable(typed))
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        name = "standard input"
        file = nil
    }

    /// - Parameters:
    ///   - place: An absolute path.
    ///   - flags: Flags of `open(2)` beside those that every file is opened with.
    init(place: [UInt8], flags: Int32, name: String) throws(Failure) {
        self.name = name
        do throws(SystemError) {
            let file = NamedFile(
                try FileHandle(place, O_RDONLY | flags), path: Array(name.utf8), of: .argument)
            self.file = file
            descriptor = file.handle.raw
        } catch { throw error.failure("open the file", name, of: .argument) }
    }

    /// Whether it is a terminal, where a person would have to type the bytes.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Gives all bytes, 256 KiB at most in each call.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do { count = try FileHandle.read(descriptor, into: buffer) } catch {
                throw error.failure("read", name, of: .argument)
            }
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// All bytes at once.
    ///
    /// - Throws: `Failure` with code `limit` when there are more than `limit`.
    func readAll(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try read { part in
            guard bytes.count + part.count <= limit else {
                throw Failure(
                    .limit, path: name, "There are more than \(limit) bytes.",
                    remedy: "Give less at once.")
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }
}

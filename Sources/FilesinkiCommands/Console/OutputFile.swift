import FilesinkiModel
import Glibc

/// A file that a command writes whole or not at all: beside its place first, then renamed over it.
final class OutputFile: ByteSink {
    private let path: [UInt8]
    private let staged: [UInt8]
    private let descriptor: Int32
    private let sink: DescriptorSink
    private let name: String
    // Set once, at the end, by the one task that writes.
    private nonisolated(unsafe) var isDone = false

    /// - Parameter argument: The file's path as the user typed it.
    init(_ argument: String, in console: Console) throws(Failure) {
        let typed = ArgumentText.bytes(of: argument)
        path = FilePlace.absolute(typed, in: console.currentFolder)
        name = printable(typed)
        let tag = hexadecimal(console.surroundings.randomBytes(6))
        staged = path + Array(".\(tag).part".utf8)
        descriptor = FileCall.open(staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o666)
        sink = DescriptorSink(descriptor, name: name)
        guard descriptor >= 0 else {
            isDone = true
            throw SystemFailure.make(errno, path: name, doing: "be written")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isDone { FileCall.unlink(staged) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try sink.write(bytes)
    }

    /// Puts the file in its place; nothing may be written after it.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0, FileCall.rename(staged, to: path) == 0 else {
            throw SystemFailure.make(errno, path: name, doing: "be written")
        }
        isDone = true
    }
}

import FilesinkiModel
import Glibc

/// The file that a command writes a content to.
///
/// A regular file is written whole or not at all: beside its place first, then renamed over it. It keeps
/// its mode, and its owner and group where the process may set them. A symlink is followed. What is
/// not a regular file, such as a device, a FIFO or `/dev/stdout`, is written into.
final class OutputFile: ByteSink {
    private let place: OutputPlace
    private let staged: [UInt8]
    private let descriptor: Int32
    private let sink: DescriptorSink
    private let name: String
    // Set once, at the end, by the one task that writes.
    private nonisolated(unsafe) var isDone = false

    /// - Parameter argument: The file's path as the user typed it.
    init(_ argument: String, in console: Console) throws(Failure) {
        let typed = ArgumentText.bytes(of: argument)
        name = printable(typed)
        place = try OutputPlace(FilePlace.absolute(typed, in: console.currentFolder), name: name)
        switch place {
        case .file(let path, let replaced):
            let tag = hexadecimal(console.surroundings.randomBytes(6))
            staged = path + Array(".\(tag).part".utf8)
            // What replaces a file that others may not read must never be readable by them.
            descriptor = FileCall.open(
                staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                mode: replaced == nil ? 0o666 : 0o600)
        case .stream(let path):
            staged = []
            descriptor = FileCall.open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        case .descriptor(let number):
            staged = []
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 0)
        }
        sink = DescriptorSink(descriptor, name: name)
        guard descriptor >= 0 else {
            isDone = true
            throw SystemFailure.make(errno, path: name, doing: "be written")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isDone, !staged.isEmpty { FileCall.unlink(staged) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try sink.write(bytes)
    }

    /// Puts the file in its place; nothing may be written after it.
    func finish() throws(Failure) {
        guard case .file(let path, let replaced) = place else { return isDone = true }
        if let replaced { keepOwner(of: replaced) }
        guard fsync(descriptor) == 0, FileCall.rename(staged, to: path) == 0 else {
            throw SystemFailure.make(errno, path: name, doing: "be written")
        }
        isDone = true
    }

    /// Gives the new file owner, group and mode of the one that it replaces. Where the group cannot be
    /// kept, the new one gets no more rights than everybody has.
    private func keepOwner(of replaced: stat) {
        var mode = replaced.st_mode & 0o7777
        if fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0 {
            mode &= 0o777
            if fchown(descriptor, uid_t.max, replaced.st_gid) != 0 {
                mode = mode & 0o707 | (mode & 0o007) << 3
            }
        }
        // Last, because a change of owner takes bits away.
        fchmod(descriptor, mode)
    }
}

/// Where the bytes of an ``OutputFile`` go.
private enum OutputPlace {
    /// A regular file, with the status of the one that is replaced; nil for a new one.
    case file([UInt8], replacing: stat?)
    /// A device, a FIFO, or anything else that is not a regular file.
    case stream([UInt8])
    /// A descriptor of this process, as `/dev/stdout`: what was written to it before stays.
    case descriptor(Int32)

    /// As many symlinks are followed as the kernel follows.
    private static let maximumLinks = 40

    /// - Throws: `Failure` when the symlinks lead nowhere.
    init(_ path: [UInt8], name: String) throws(Failure) {
        var path = path
        for _ in 0...Self.maximumLinks {
            if let number = Self.descriptor(path) {
                self = .descriptor(number)
                return
            }
            guard let found = FileCall.status(path) else {
                self = .file(path, replacing: nil)
                return
            }
            switch found.st_mode & S_IFMT {
            case S_IFREG:
                self = .file(path, replacing: found)
                return
            case S_IFLNK:
                guard let target = FileCall.readLink(path) else {
                    throw SystemFailure.make(errno, path: name, doing: "be followed")
                }
                path = Self.resolve(target, from: path)
            default:
                self = .stream(path)
                return
            }
        }
        throw SystemFailure.make(ELOOP, path: name, doing: "be followed")
    }

    /// The target of a symlink as a path; `..` in it is left to the kernel.
    private static func resolve(_ target: [UInt8], from link: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if target.first == slash { return target }
        return Array(link[...(link.lastIndex(of: slash) ?? link.startIndex)]) + target
    }

    private static func descriptor(_ path: [UInt8]) -> Int32? {
        let text = String(decoding: path, as: UTF8.self)
        for folder in ["/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"] {
            guard text.hasPrefix(folder) else { continue }
            return Int32(text.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }
}

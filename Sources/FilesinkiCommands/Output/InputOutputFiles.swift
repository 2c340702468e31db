import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The file that a command writes a content to.
///
/// A regular file is written whole or not at all: beside its place first, then renamed over it. It keeps
/// its mode, and its owner and group where the process may set them. A symlink is followed. What is
/// not a regular file, such as a device, a FIFO or `/dev/stdout`, is written into.
final class OutputFile: ByteSink {
    private let place: OutputPlace
    private let output: Destination
    private let name: String

    private enum Destination {
        case file(DurableFile)
        case stream(NamedFile)
    }

    /// - Parameter argument: The file's path as the user typed it.
    init(_ argument: String, in console: Console) throws(Failure) {
        let typed = ArgumentText.bytes(of: argument)
        let name = printable(typed)
        self.name = name
        place = try OutputPlace(FilePlace.absolute(typed, in: console.currentFolder), name: name)
        let tag = hexadecimal(console.systemContext.randomBytes(6))
        do throws(SystemError) {
            switch place {
            case .file(let path, let replaced):
                // What replaces a file that others may not read must never be readable by them.
                output = .file(
                    try DurableFile(
                        path, staged: path + Array(".\(tag).part".utf8),
                        mode: replaced == nil ? 0o666 : 0o600))
            case .stream(let path):
                let handle = try FileHandle(path, O_WRONLY | O_NOCTTY)
                output = .stream(NamedFile(handle, path: Array(name.utf8), of: .argument))
            case .descriptor(let number):
                guard let handle = FileHandle(fcntl(number, F_DUPFD_CLOEXEC, 0)) else {
                    throw .last
                }
                output = .stream(NamedFile(handle, path: Array(name.utf8), of: .argument))
            }
        } catch { throw error.failure("write the file", name, of: .argument) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        switch output {
        case .stream(let stream): try stream.write(bytes)
        case .file(let file):
            do { try file.handle.write(bytes) } catch {
                throw error.failure("write the file", name, of: .argument)
            }
        }
    }

    /// Puts the file in its place; nothing may be written after it.
    func finish() throws(Failure) {
        guard case .file(_, let replaced) = place, case .file(let file) = output else { return }
        if let replaced { keepOwner(of: replaced, file.handle.raw) }
        do { try file.commit(.content) } catch {
            throw error.failure("write the file", name, of: .argument)
        }
    }

    /// Gives the new file owner, group and mode of the one that it replaces. Where the group cannot be
    /// kept, the new one gets no more rights than everybody has.
    private func keepOwner(of replaced: stat, _ descriptor: Int32) {
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

extension Console {
    /// The file that `-o` names; nil for standard output, which is also what `-` means.
    func outputFile(_ argument: String?) throws(Failure) -> OutputFile? {
        guard let argument, argument != "-" else { return nil }
        return try OutputFile(argument, in: self)
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
                    throw SystemError.last.failure("follow the symlink", name, of: .argument)
                }
                path = Self.resolve(target, from: path)
            default:
                self = .stream(path)
                return
            }
        }
        throw SystemError(ELOOP).failure("follow the symlink", name, of: .argument)
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

/// A file, or standard input, that a command reads.
final class InputFile: Sendable {
    private let file: NamedFile?
    private let descriptor: Int32
    /// What a caller gives in place of a stream; nil if it does not.
    private let given: [UInt8]?
    /// What a message calls it.
    let name: String

    /// - Parameter argument: A file's path as the user typed it; nil or `-` for standard input.
    convenience init(_ argument: String?, in console: Console) throws(Failure) {
        guard let argument, argument != "-" else {
            self.init(descriptor: console.input, given: console.call?.input)
            return
        }
        let typed = ArgumentText.bytes(of: argument)
        let place = FilePlace.absolute(typed, in: console.currentFolder)
        try self.init(place: place, flags: 0, name: printable(typed))
    }

    private init(descriptor: Int32, given: [UInt8]?) {
        self.descriptor = descriptor
        self.given = given
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
            given = nil
            descriptor = file.handle.raw
        } catch { throw error.failure("open the file", name, of: .argument) }
    }

    /// Whether it is a terminal, where a person would have to type the bytes.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Gives all bytes, 256 KiB at most in each call.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let given { return try given.withUnsafeBytes(body) }
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
                    .limit, path: name, "Larger than \(limit) bytes.",
                    remedy: "Split the input.")
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }
}

/// System calls that take a path as bytes.
enum FileCall {
    /// `lstat(2)`; nil when there is nothing, or it cannot be seen.
    static func status(_ path: [UInt8]) -> stat? {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0 ? status : nil
    }

    /// `readlink(2)`; nil when the path is not a symlink.
    static func readLink(_ path: [UInt8]) -> [UInt8]? {
        let size = Int(PATH_MAX)
        var target = [CChar](repeating: 0, count: size)
        let count = path.withCString { readlink($0, &target, size) }
        return count < 0 ? nil : target.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// `mkdir(2)`.
    static func makeFolder(_ path: [UInt8], mode: mode_t) -> Int32 {
        path.withCString { mkdir($0, mode) }
    }

    /// `symlink(2)`.
    static func makeSymlink(_ target: [UInt8], at path: [UInt8]) -> Int32 {
        target.withCString { target in path.withCString { symlink(target, $0) } }
    }

    /// Sets the time of the last change of content; a symlink's own, not that of its target.
    static func setModified(_ path: [UInt8], _ time: Timestamp) {
        let value = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.remainder))
        withUnsafePointer(to: (value, value)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                _ = path.withCString { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// Sets the permission bits.
    static func setMode(_ path: [UInt8], _ mode: UInt16) {
        _ = path.withCString { chmod($0, mode_t(mode)) }
    }

    /// Whether the path is a folder without anything in it.
    static func isEmptyFolder(_ path: [UInt8]) -> Bool {
        guard let folder = try? FileHandle(path, O_RDONLY | O_DIRECTORY),
            let listing = try? FolderListing(folder)
        else { return false }
        return listing.entries.isEmpty
    }
}

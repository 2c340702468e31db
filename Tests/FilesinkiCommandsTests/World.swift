import FilesinkiCommands
import FilesinkiModel
import Glibc
import Synchronization

/// A folder, an environment and streams of its own for the commands of one test; the folder goes
/// with the value. Nothing of the person who runs the tests is read or written.
final class World {
    let folder: String
    private(set) var environment: [String: String]
    /// What `filesinki` sees as its current folder; absolute.
    var currentFolder: String
    var terminals = Console.Terminals()
    /// What the world's programs can do over a network: nothing, unless a test says so.
    var network = NetworkAccess.none
    /// How much later than its beginning the world's clock says it is.
    var hoursLater: Int64 = 0
    private let descriptor: Int32
    private let clock = TickingClock()

    /// What a command left behind.
    struct Outcome {
        var code: ExitCode
        var output: [UInt8]
        var talk: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    init() throws {
        var template = Array("/tmp/filesinki-commands-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw WorldError.noFolder(errno) }
        folder = String(cString: made)
        currentFolder = folder
        environment = [
            "HOME": folder + "/home", "XDG_DATA_HOME": folder + "/data",
            "XDG_CONFIG_HOME": folder + "/config",
        ]
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(descriptor)
        remove(folder: "")
    }

    /// Removes a folder with everything in it; symlinks are not followed.
    private func remove(folder name: String) {
        for child in names(in: name) {
            let path = folder + "/" + name + "/" + child
            if unlink(path) != 0 { remove(folder: name + "/" + child) }
        }
        rmdir(folder + "/" + name)
    }

    func set(_ variable: String, to value: String?) { environment[variable] = value }

    /// Makes a file, and the folders above it.
    func write(_ content: some Collection<UInt8>, to name: String) throws {
        try makeFolder(String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]))
        let file = open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw WorldError.noFile(errno) }
        defer { close(file) }
        let bytes = Array(content)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw WorldError.noFile(errno)
        }
    }

    func write(_ text: String, to name: String) throws { try write(text.utf8, to: name) }

    func makeFolder(_ name: String) throws {
        var path = folder
        for part in name.split(separator: "/") {
            path += "/" + part
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
                throw WorldError.noFolder(errno)
            }
        }
    }

    /// A file's bytes; nil when there is none.
    func read(_ name: String) -> [UInt8]? {
        let file = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    func readText(_ name: String) -> String? {
        read(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a folder, hidden ones too, in order.
    func names(in name: String = "") -> [String] {
        guard let stream = opendir(folder + "/" + name) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Runs a command line as the shell would.
    func run(_ arguments: String..., input: [UInt8]? = nil) async throws -> Outcome {
        try await run(bytes: arguments.map { Array($0.utf8) }, input: input)
    }

    /// Runs a command line whose arguments need not be UTF-8.
    func run(bytes arguments: [[UInt8]], input: [UInt8]? = nil) async throws -> Outcome {
        let output = MemorySink()
        let talk = MemorySink()
        if let input { try write(input, to: ".standard-input") }
        let file = input == nil ? -1 : open(folder + "/.standard-input", O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        let console = console(output: output, talk: talk, input: file >= 0 ? file : descriptor)
        let code = await Program.run(arguments: arguments, in: console)
        if input != nil { unlink(folder + "/.standard-input") }
        return Outcome(
            code: code, output: output.bytes, talk: String(decoding: talk.bytes, as: UTF8.self))
    }

    /// A console in this world.
    func console(
        output: any ByteSink = MemorySink(), talk: any ByteSink = MemorySink(), input: Int32 = -1
    ) -> Console {
        Console(
            output: output, talk: talk, input: input, environment: environment,
            currentFolder: currentFolder, terminals: terminals, surroundings: surroundings,
            network: network)
    }

    private var surroundings: Surroundings {
        let clock = clock
        let later = hoursLater * 3_600_000_000_000
        return Surroundings(
            now: { Timestamp(nanoseconds: clock.tick() + later) },
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            sleep: { clock.advance($0) })
    }

    /// Removes a file.
    func remove(_ name: String) { unlink(folder + "/" + name) }

    /// Gives a file or a folder another name.
    func rename(_ old: String, to new: String) {
        _ = Glibc.rename(folder + "/" + old, folder + "/" + new)
    }
}

/// A clock that goes on by a millisecond whenever it is looked at, and by itself never.
final class TickingClock: Sendable {
    private let now = Mutex<Int64>(1_700_000_000_000_000_000)

    func tick() -> Int64 {
        now.withLock { now in
            now += 1_000_000
            return now
        }
    }

    /// What a wait does in a test: the time passes at once.
    func advance(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        now.withLock { $0 += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
    }
}

/// Why a test's world could not be made.
enum WorldError: Error {
    case noFolder(Int32)
    case noFile(Int32)
    case noNetwork(String)
}

/// Keeps what is written.
final class MemorySink: ByteSink {
    private let storage = Mutex<[UInt8]>([])

    var bytes: [UInt8] { storage.withLock { $0 } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        storage.withLock { $0.append(contentsOf: bytes) }
    }
}

extension NetworkAccess {
    /// A world without a network.
    static let none = NetworkAccess(
        connect: { throw WorldError.noNetwork($0) },
        serve: { options, _ in throw WorldError.noNetwork(options.folder) },
        tokens: { request in throw WorldError.noNetwork(request.folder) })
}

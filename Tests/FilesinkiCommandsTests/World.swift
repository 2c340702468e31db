import FilesinkiCommands
import FilesinkiDirectory
import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// A folder, an environment and streams of its own for the commands of one test; the folder goes
/// with the value. It is changed only by its test, while no command runs or while one waits. Nothing of
/// the person who runs the tests is read or written.
final class World: @unchecked Sendable {
    let folder: String
    private let place: TemporaryFolder
    private(set) var environment: [String: String]
    /// What `filesinki` sees as its current folder; absolute.
    var currentFolder: String
    var terminals = Console.Terminals()
    /// What the world's programs can do over a network: nothing, unless a test says so.
    var network = NetworkAccess.none
    /// What ends a command that would go on for ever: nothing, unless a test says so.
    var interruptions = Interruptions.none
    /// How much later than its beginning the world's clock says it is.
    var hoursLater: Int64 = 0
    /// Waits until a command's time is over: for ever, unless a test says otherwise.
    var timer: @Sendable (Duration) async throws -> Void = { _ in
        try await Task.sleep(for: .seconds(86_400))
    }
    /// What `doctor` sees of the machine: nothing that is wrong, and the world's clock.
    lazy var machine = MachineFacts(
        user: geteuid(), watchLimit: { 100_000 }, space: { _ in (1 << 40, 1 << 41) },
        traits: { _ in FileSystemTraits() },
        fileTime: { [clock] _ in Timestamp(nanoseconds: clock.tick()) })
    /// What happens in the world the next time that a command waits.
    var onSleep: (@Sendable (World) async -> Void)?
    private let descriptor: Int32
    private let clock: TickingClock
    /// Whether two runs of a test give the same bytes: the clock stands still but for the test, and
    /// chance has a seed.
    private let chance: CountedChance?

    /// What a command left behind.
    struct Outcome {
        var code: ExitCode
        var output: [UInt8]
        var talk: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    /// - Parameter tick: How many nanoseconds pass whenever somebody looks at the clock.
    init(isRepeatable: Bool = false, tick: Int64 = 1_000_000) throws {
        clock = TickingClock(step: isRepeatable ? 0 : tick)
        chance = isRepeatable ? CountedChance() : nil
        place = try TemporaryFolder(inMemory: true)
        folder = place.path
        currentFolder = folder
        environment = [
            "HOME": folder + "/home", "XDG_DATA_HOME": folder + "/data",
            "XDG_CONFIG_HOME": folder + "/config",
        ]
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    deinit { close(descriptor) }

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
        if chance != nil { touch(file) }
    }

    /// Gives a file the clock's time.
    private func touch(_ file: Int32) {
        let now = clock.tick()
        let time = timespec(tv_sec: Int(now / 1_000_000_000), tv_nsec: Int(now % 1_000_000_000))
        futimens(file, [time, time])
    }

    /// Draws what a test of a folder and the id of a store would have taken of a chance that is counted.
    func skipChanceOfStore() { for _ in 0..<2 { _ = chance?.bytes(1) } }

    /// Lets the clock go on.
    func wait(seconds: Int64) { clock.advance(.seconds(seconds)) }

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

    /// A file's bytes; nil if it does not exist.
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

    /// A world with an empty store `store`, which no `init` has to test.
    static func withStore() async throws -> World {
        let world = try World()
        try await world.makeStore("store")
        return world
    }

    /// Makes a store, as another device would have. Where there is none, `init` first tests the folder with
    /// hundreds of writers, which takes longer than most tests.
    func makeStore(_ name: String) async throws {
        // Its id is the one that `init` would give it, after that of the device and the name of the test.
        let drawn = chance.map { _ in CountedChance(after: 2) }
        let other = systemContext
        let context = SystemContext(
            now: other.now, randomBytes: { drawn?.bytes($0) ?? other.randomBytes($0) },
            sleep: other.sleep)
        let remote = try DirectoryRemote.create(path: folder + "/" + name)
        _ = try await StoreFormat.create(at: remote, systemContext: context)
    }

    /// Runs a command line as the shell would.
    func run(_ arguments: String..., input: [UInt8]? = nil) async throws -> Outcome {
        try await run(bytes: arguments.map { Array($0.utf8) }, input: input)
    }

    /// Runs a command line that has to end with 0.
    func done(_ arguments: String...) async throws {
        let outcome = try await run(bytes: arguments.map { Array($0.utf8) })
        #expect(outcome.code == .done, "\(arguments): \(outcome.talk)")
    }

    /// Runs a command line that has to end with a code.
    @discardableResult
    func expect(
        _ arguments: [String], _ code: ExitCode = .done,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await run(bytes: arguments.map { Array($0.utf8) })
        #expect(
            outcome.code == code, "\(arguments): \(outcome.talk)", sourceLocation: sourceLocation)
        return outcome
    }

    /// The same of arguments that have no spaces in them.
    @discardableResult
    func expect(
        _ line: String, _ code: ExitCode = .done,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        try await expect(line.split(separator: " ").map(String.init), code, sourceLocation)
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
            currentFolder: currentFolder, terminals: terminals, systemContext: systemContext,
            network: network, interruptions: interruptions, machine: machine, timer: timer)
    }

    private var systemContext: SystemContext {
        let clock = clock
        let later = hoursLater * 3_600_000_000_000
        let chance = chance
        var context = SystemContext(
            now: { Timestamp(nanoseconds: clock.tick() + later) },
            randomBytes: { count in
                chance?.bytes(count) ?? (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            },
            sleep: { [self] duration in
                try Task.checkCancellation()
                clock.advance(duration)
                let happening = takeHappening()
                await happening?(self)
            })
        context.keyCost = SystemContext.cheapKeyCost
        return context
    }

    private func takeHappening() -> (@Sendable (World) async -> Void)? {
        defer { onSleep = nil }
        return onSleep
    }

    /// Removes a file.
    func remove(_ name: String) { unlink(folder + "/" + name) }

    /// Gives a file or a folder another name.
    func rename(_ old: String, to new: String) {
        _ = Glibc.rename(folder + "/" + old, folder + "/" + new)
    }
}

/// Chance that is the same in every run: a number that goes up.
final class CountedChance: Sendable {
    private let count: Mutex<UInt64>

    /// - Parameter count: How much of it has been drawn.
    init(after count: UInt64 = 0) { self.count = Mutex(count) }

    func bytes(_ wanted: Int) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        // The multiplier spreads the number over all bytes (Knuth, TAOCP 3.3.4).
        let spread = number &* 6_364_136_223_846_793_005
        return (0..<wanted).map { UInt8(truncatingIfNeeded: spread >> (8 * (7 - $0 % 8))) }
    }
}

/// A clock that goes on by a step whenever it is looked at, and by itself never.
final class TickingClock: Sendable {
    private let now = Mutex<Int64>(1_700_000_000_000_000_000)
    /// In nanoseconds.
    private let step: Int64

    init(step: Int64) { self.step = step }

    func tick() -> Int64 {
        now.withLock { now in
            now += step
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
        connect: { address, _ in throw WorldError.noNetwork(address) },
        serve: { options, _ in throw WorldError.noNetwork(options.folder) },
        tokens: { request in throw WorldError.noNetwork(request.folder) })
}

import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Two sockets that are connected to each other; closed with the value.
final class SocketPair: Sendable {
    let near: Int32
    let far: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        close(far)
    }
}

/// Waiting for descriptors without a thread for each.
@Suite("Readiness", .timeLimit(.minutes(10)))
struct ReadinessTests {
    private let readiness: Readiness

    init() throws { readiness = try Readiness() }

    @Test func `what is there is read, up to the limit`() async throws {
        let pair = try SocketPair()
        try FileHandle.write(Array("hello".utf8), to: pair.far)
        #expect(try await readiness.read(from: pair.near, limit: 2) == Array("he".utf8))
        #expect(try await readiness.read(from: pair.near, limit: 100) == Array("llo".utf8))
        shutdown(pair.far, Int32(SHUT_WR))
        #expect(try await readiness.read(from: pair.near, limit: 100) == [])
    }

    @Test func `each of many waits is ended by its own descriptor`() async throws {
        let pairs = try (0..<40).map { _ in try SocketPair() }
        let found = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for (index, pair) in pairs.enumerated() {
                group.addTask { (index, try await readiness.read(from: pair.near, limit: 9)) }
            }
            for (index, pair) in pairs.enumerated().reversed() {
                try FileHandle.write([UInt8(index)], to: pair.far)
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(found == Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, [UInt8($0)]) }))
    }

    @Test func `more bytes than the socket holds are written as the reader takes them`()
        async throws
    {
        let pair = try SocketPair()
        let bytes = noise(3_000_000)
        async let written: Void = {
            try await readiness.write(bytes, to: pair.far)
            shutdown(pair.far, Int32(SHUT_WR))
        }()
        var found: [UInt8] = []
        while true {
            let piece = try await readiness.read(from: pair.near, limit: 100_000)
            if piece.isEmpty { break }
            found += piece
        }
        try await written
        #expect(found == bytes)
    }

    /// A pipe takes no flags with the bytes: it is written by pieces that have room.
    @Test func `a pipe is written as its reader takes the bytes`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let bytes = noise(300_000)
        async let written: Void = {
            defer { close(writing) }
            try await readiness.write(bytes, to: writing)
        }()
        var found: [UInt8] = []
        while true {
            let piece = try await readiness.read(from: reading, limit: 10_000)
            if piece.isEmpty { break }
            found += piece
        }
        try await written
        #expect(found == bytes)
    }

    @Test func `nothing is written without bytes`() async throws {
        // A descriptor that is not open would be an error.
        try await readiness.write([], to: -1)
    }

    @Test func `a reader that is gone is an error, and no signal`() async throws {
        let pair = try SocketPair()
        shutdown(pair.far, Int32(SHUT_RDWR))
        await #expect(throws: SystemError(EPIPE)) {
            try await readiness.write([1], to: pair.near)
        }
    }

    @Test func `a wait for a descriptor that is not open ends, and the call says why`()
        async throws
    {
        let number: Int32 = 1_000_000
        try await readiness.wait(for: .readable, of: number)
        await #expect(throws: SystemError(EBADF)) {
            try await readiness.read(from: number, limit: 1)
        }
    }

    @Test func `a task that is cancelled waits no longer, before and during the wait`()
        async throws
    {
        let (pair, readiness) = (try SocketPair(), readiness)
        let waiting = Task { try await readiness.wait(for: .readable, of: pair.near) }
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // Also for a descriptor that is ready.
        try FileHandle.write([1], to: pair.far)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await readiness.wait(for: .readable, of: pair.near)
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        // The others are not disturbed.
        #expect(try await readiness.read(from: pair.near, limit: 1) == [1])
    }

    @Test func `a descriptor that another has emptied meanwhile is waited for again`()
        async throws
    {
        let pair = try SocketPair()
        _ = fcntl(pair.near, F_SETFL, O_NONBLOCK)
        async let first = readiness.read(from: pair.near, limit: 1)
        async let second = readiness.read(from: pair.near, limit: 1)
        try FileHandle.write([1], to: pair.far)
        try FileHandle.write([2], to: pair.far)
        #expect(try await Set(first + second) == [1, 2])
    }
}

extension FileHandle {
    /// Writes all bytes to a descriptor of the test.
    static func write(_ bytes: [UInt8], to raw: Int32) throws {
        try bytes.withUnsafeBytes { try write($0, to: raw) }
    }
}

/// The pipe that ends a poll(2).
@Suite("Wake pipes", .timeLimit(.minutes(10)))
struct WakePipeTests {
    private func isReadable(_ file: Int32) -> Bool {
        var file = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, 0) > 0
    }

    @Test func `it is readable from a wake until it is drained`() throws {
        let pipe = try WakePipe()
        #expect(!isReadable(pipe.file))
        #expect(pipe.drain() == [])
        pipe.wake()
        pipe.wake()
        #expect(isReadable(pipe.file))
        #expect(pipe.drain() == [0, 0])
        #expect(!isReadable(pipe.file))
    }

    @Test func `a signal handler's bytes are what is drained`() throws {
        let pipe = try WakePipe()
        try FileHandle.write([15, 2], to: pipe.signalFile)
        #expect(pipe.drain() == [15, 2])
    }

    @Test func `any number of wakes does not block`() throws {
        let pipe = try WakePipe()
        for _ in 0..<200_000 { pipe.wake() }
        #expect(pipe.drain().count == 256)
        #expect(isReadable(pipe.file))
    }

    @Test func `no child process inherits it`() throws {
        let pipe = try WakePipe()
        #expect([pipe.file, pipe.signalFile].allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
    }
}

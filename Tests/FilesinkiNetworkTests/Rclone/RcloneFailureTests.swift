import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiNetwork

/// Every way in which rclone, or what is behind it, is not there.
@Suite(.enabled(if: RemoteKind.hasRclone, "rclone is not installed"))
struct RcloneFailureTests {
    private let key = "packs/0a/1"

    @Test func `without rclone the user is told to install it`() async throws {
        let command = try RclonePlace().command("disk:/tmp", path: "/nonexistent")
        let link = RcloneLink(command, .ofMachine, nil)
        let failure = await #expect(throws: Failure.self) { _ = try await link.way() }
        #expect(failure?.code == .usage)
        #expect(failure?.message == "rclone was not found.")
        let asked = await #expect(throws: Failure.self) { _ = try await link.movesExclusively() }
        #expect(asked?.code == .usage)
    }

    @Test func `a remote that is not configured is named`() async throws {
        let place = try RclonePlace()
        let failure = await #expect(throws: Failure.self) {
            _ = try await place.remote("nowhere:x").get(ObjectKey(key), range: nil)
        }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("no remote 'nowhere'") == true)
    }

    @Test func `a provider that is away is no empty one`() async throws {
        let behind = try RclonePlace()
        let login = RcloneCommand.Login(.ofMachine)
        var server: RcloneServer? = try await RcloneServer.start(behind.command(behind.disk), login)
        let password = try await behind.command(behind.disk).ask(["obscure", login.password.value])
        let place = try RclonePlace(
            """
            [far]
            type = webdav
            vendor = other
            url = http://127.0.0.1:\(server?.port ?? 0)
            user = \(login.user)
            pass = \(String(decoding: password, as: UTF8.self))
            """)
        let remote = RcloneRemote(try place.link("far:store"), RcloneWriters("a"))
        try await remote.put([1, 2], to: ObjectKey(key))
        #expect(try await remote.get(ObjectKey(key), range: nil) == [1, 2])
        #expect(try await remote.get(ObjectKey("packs/0a/2"), range: nil) == nil)
        let log = try #require(server?.log)
        server = nil
        // The end of its log is its end.
        while !log.isOver { await Task.yield() }
        for request: @Sendable () async throws -> Void in [
            { _ = try await remote.get(ObjectKey("packs/0a/1"), range: nil) },
            { _ = try await remote.get(ObjectKey("packs/0a/2"), range: nil) },
            { _ = try await remote.list(prefix: "", after: nil, limit: 9) },
            { _ = try await remote.publish([1], to: ObjectKey("zones/files/log/1/c")) },
        ] {
            let failure = await #expect(throws: Failure.self) { try await request() }
            #expect(failure?.code == .away, "\(String(describing: failure))")
            let path = failure.map { String(decoding: $0.path, as: UTF8.self) }
            #expect(path == "rclone:far:store", "\(String(describing: failure))")
        }
    }

    /// The processes whose command line has this text.
    private func processes(with text: String) -> [pid_t] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [pid_t] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let number = pid_t(name), let file = fopen("/proc/\(name)/cmdline", "r") else {
                continue
            }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = fread(&buffer, 1, buffer.count, file)
            if String(decoding: buffer[..<count], as: UTF8.self).contains(text) {
                found.append(number)
            }
        }
        return found
    }

    @Test func `when rclone is killed, the next request starts another`() async throws {
        let place = try RclonePlace()
        let remote = try place.remote(place.disk)
        try await remote.put([1], to: ObjectKey(key))
        let first = processes(with: place.folder.path("store"))
        #expect(!first.isEmpty)
        for process in first { kill(process, SIGKILL) }
        #expect(try await remote.get(ObjectKey(key), range: nil) == [1])
        #expect(Set(first).isDisjoint(with: processes(with: place.folder.path("store"))))
    }

    @Test func `the password is in no command line and in no log, and rclone serves nobody else`()
        async throws
    {
        let place = try RclonePlace()
        let login = RcloneCommand.Login(.ofMachine)
        let server = try await RcloneServer.start(place.command(place.disk), login)
        #expect(!processes(with: place.folder.path("store")).isEmpty)
        #expect(processes(with: login.password.value).isEmpty)
        #expect(processes(with: login.user).isEmpty)
        let log = String(decoding: server.log.end, as: UTF8.self)
        #expect(log.contains("127.0.0.1:\(server.port)"))
        #expect(!log.contains(login.password.value))
        #expect("\(login)".contains(login.password.value) == false)
    }

    @Test func `rclone ends with what has started it`() async throws {
        let place = try RclonePlace()
        var server: RcloneServer? = try await RcloneServer.start(
            place.command(place.disk), RcloneCommand.Login(.ofMachine))
        let log = try #require(server?.log)
        #expect(server?.isOver == false)
        server = nil
        while !log.isOver { await Task.yield() }
        #expect(pollUntil { processes(with: place.folder.path("store")).isEmpty })
    }

    @Test func `an rclone that is not ready in time is ended`() async throws {
        let place = try RclonePlace()
        // A real one may be ready before a busy machine looks at the clock.
        let silent = place.folder.path("rclone")
        let file = try #require(fopen(silent, "w"))
        fputs("#!/bin/sh\nwhile :; do sleep 1; done\n", file)
        fclose(file)
        chmod(silent, 0o755)
        let path = place.folder.path("") + ":/usr/bin:/bin"
        let failure = await #expect(throws: Failure.self) {
            _ = try await RcloneServer.start(
                place.command(place.disk, path: path), RcloneCommand.Login(.ofMachine),
                within: .zero)
        }
        #expect(failure?.code == .away)
        #expect(failure?.message.hasPrefix("rclone did not start within 0 seconds.") == true)
        #expect(pollUntil { processes(with: place.folder.path("store")).isEmpty })
    }
}

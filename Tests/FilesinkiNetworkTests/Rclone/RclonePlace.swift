import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc

@testable import FilesinkiNetwork

/// A configuration of rclone, with remotes in a folder of its own.
struct RclonePlace: Sendable {
    let folder: TemporaryFolder
    let environment: [String: String]

    /// - Parameter more: Further lines of the configuration.
    init(_ more: String = "") throws {
        folder = try TemporaryFolder()
        environment = ["RCLONE_CONFIG": folder.path("rclone.conf")]
        let text = """
            [disk]
            type = local

            [other]
            type = alias
            remote = \(folder.path("disk"))

            [secret]
            type = crypt
            remote = other:crypt
            password = zJAgoCKvcurVfwd7tCABhGnh6g

            [memory]
            type = memory

            [outer]
            type = crypt
            remote = memory:crypt
            password = zJAgoCKvcurVfwd7tCABhGnh6g

            \(more)

            """
        guard let file = fopen(folder.path("rclone.conf"), "w") else {
            throw SystemError.last.failure("write the file", folder.path("rclone.conf"))
        }
        fputs(text, file)
        fclose(file)
    }

    func address(_ target: String) throws -> RcloneAddress {
        guard let address = try RcloneAddress("rclone:\(target)") else {
            throw Failure(.usage, path: target, "No address.", remedy: "")
        }
        return address
    }

    /// A place in the folder of this machine.
    var disk: String { "disk:\(folder.path("store"))" }

    func command(_ target: String, path: String? = nil) throws -> RcloneCommand {
        var environment = environment
        if let path { environment["PATH"] = path }
        return RcloneCommand(address: try address(target)) { [environment] in environment[$0] }
    }

    func link(_ target: String) throws -> RcloneLink {
        RcloneLink(try command(target), .ofMachine, nil)
    }

    /// A remote with an rclone of its own, as another device has.
    ///
    /// - Parameter writer: The id of a device that publishes alone.
    func remote(_ target: String, writer: String? = nil) throws -> RetryingRemote {
        RetryingRemote(
            RcloneRemote(try link(target), RcloneWriters(writer)),
            systemContext: ManualClock().systemContext)
    }

    /// Remotes with an rclone each where several devices may publish, else with one for all.
    func remotes(
        _ target: String, writer: String? = nil, count: Int
    ) async throws -> [RetryingRemote] {
        let link = try link(target)
        _ = try await link.movesExclusively()
        let first = RcloneRemote(link, RcloneWriters(writer))
        return (0..<count).map { number in
            RetryingRemote(
                number == 0 ? first : first.separated(), systemContext: ManualClock().systemContext)
        }
    }
}

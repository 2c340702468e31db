import FilesinkiModel
import Glibc

/// The program that has what this one leaves out, so that a script which calls this one in a loop
/// does not pay for a network that it does not use.
///
/// It takes this one's place in the process with the same arguments and streams, and begins the
/// command anew. Nothing is lost by that: until then the command has only read its own settings.
package enum NetworkProgram {
    package static let name = "filesinki-net"

    /// What `filesinki` itself can do: become the other.
    package static let standIn = NetworkAccess(
        connect: { _, _ in throw become() },
        pin: { _, _ in throw become() },
        prepare: { throw become() },
        serve: { _, _ in throw become() },
        tokens: { _ in throw become() },
        ping: { _ in throw become() })

    /// Where the other is, seen from the folder of this program: beside it when it was just built,
    /// in a folder of its own when it was installed.
    static let places = ["", "../libexec/filesinki/"]

    /// Puts the other in this one's place.
    ///
    /// - Returns: Only when that cannot be done; why.
    private static func become() -> Failure {
        guard let folder = folderOfProgram() else { return missing("/proc/self/exe") }
        for place in places {
            let path = folder + place + name
            // Streams stay open; everything else was opened to be closed here.
            if access(path, X_OK) == 0 { execv(path, CommandLine.unsafeArgv) }
        }
        return missing(folder + name)
    }

    private static func folderOfProgram() -> String? {
        let limit = Int(PATH_MAX)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { max(0, readlink("/proc/self/exe", $0, limit)) } ?? 0
            }
        }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: bytes[...end], as: UTF8.self)
    }

    private static func missing(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "The part of filesinki that uses the network is not installed.",
            remedy: "Install \(name) beside filesinki, as make install does.")
    }
}

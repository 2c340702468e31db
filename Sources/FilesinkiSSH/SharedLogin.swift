import FilesinkiModel
import FilesinkiSystem

/// One login of ssh for several connections to a host, so that only the first one costs time, and a password is asked for
/// once.
///
/// The first ssh listens at a socket; the others reach the host through it, each with a process of its own there. Where
/// the host allows no further session in a connection, ssh logs in again by itself.
///
/// Source: ssh_config(5), `ControlMaster`.
final class SharedLogin: Sendable {
    /// The folder of the socket, which is removed with this object.
    private let folder: String

    /// ssh adds 18 characters while it makes the socket, and its path has 107 at most.
    private static let maximumLength = 80

    /// - Parameter parent: The folder for temporary files; one whose name means something to ssh is not used.
    /// - Returns: Nil when the folder cannot be created.
    init?(in parent: String) {
        let parent = Self.isPlain(parent) ? parent : "/tmp"
        guard let folder = try? StateFile.makeScratchFolder(in: parent, for: "filesinki-ssh") else {
            return nil
        }
        self.folder = folder
    }

    deinit { TreeRemoval.remove(folder) }

    /// The options of each ssh that shares the login. Nothing stays behind when the last one has ended.
    var options: [String] {
        ["ControlMaster=auto", "ControlPersist=no", "ControlPath=\(folder)/s"]
    }

    private static func isPlain(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= maximumLength
            && path.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

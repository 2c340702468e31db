package import FilesinkiModel
import Glibc

/// A listening Unix socket that only its owner can connect to (unix(7)).
package final class UnixSocket: Sendable {
    private let listening: FileHandle
    private let path: String

    /// As many connections wait to be accepted.
    private static let backlog: Int32 = 64

    /// Creates the socket. One that is there is replaced: the caller knows that its process has ended.
    ///
    /// - Throws: `Failure` with code `usage` for a path that is too long; `io`, also for a file of another
    ///   kind at the path.
    package init(_ path: String) throws(Failure) {
        let address = try Self.address(path)
        self.path = path
        var former = stat()
        if lstat(path, &former) == 0, former.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
        listening = try SystemError.reported("create the socket", path.utf8) {
            () throws(SystemError) in
            let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
            guard let handle = FileHandle(socket(AF_UNIX, Int32(kind), 0)) else { throw .last }
            // The file gets this mode: at no moment can another user connect.
            guard fchmod(handle.raw, 0o600) == 0, Self.bind(handle.raw, address) == 0,
                listen(handle.raw, Self.backlog) == 0
            else { throw .last }
            return handle
        }
    }

    /// Removes the socket's file; connections stay.
    package func remove() { _ = unlink(path) }

    /// Waits for the next connection.
    ///
    /// - Returns: Nil when the connection was lost meanwhile, or this process cannot have another one.
    package func accept(_ readiness: Readiness) async throws -> ConnectedSocket? {
        try await readiness.wait(for: .readable, of: listening.raw)
        guard let handle = FileHandle(unlessInterrupted { Glibc.accept(listening.raw, nil, nil) })
        else { return nil }
        _ = fcntl(handle.raw, F_SETFD, FD_CLOEXEC)
        return ConnectedSocket(handle)
    }

    private static func address(_ path: String) throws(Failure) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(
                .usage, path: path, "The path is too long for a socket.",
                remedy: "Keep the replica's state in a folder with a shorter path: see --state.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    private static func bind(_ descriptor: Int32, _ address: sockaddr_un) -> Int32 {
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A connection that a ``UnixSocket`` has accepted; closed with the last reference.
package final class ConnectedSocket: Sendable {
    private let handle: FileHandle

    package var raw: Int32 { handle.raw }

    fileprivate init(_ handle: consuming FileHandle) { self.handle = handle }
}

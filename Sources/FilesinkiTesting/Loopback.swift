import Glibc

/// TCP sockets on 127.0.0.1.
enum Loopback {
    /// A socket that listens on a free port.
    ///
    /// - Throws: ``FixtureError``.
    static func listen() throws -> (listener: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var address = address(port: 0)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, 1024) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else {
            let error = errno
            close(listener)
            throw FixtureError("listen", "127.0.0.1", error)
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A connection to a port; nil when it is refused.
    static func connect(to port: Int) -> Int32? {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = address(port: UInt16(clamping: port))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(connection)
            return nil
        }
        return connection
    }

    /// Sends small pieces at once, and makes the socket non-blocking.
    static func prepare(_ connection: Int32) {
        var yes: Int32 = 1
        setsockopt(
            connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
    }

    /// Makes closing the connection send a reset.
    static func endWithReset(_ connection: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether the peer has received everything that was sent.
    static func isDelivered(_ connection: Int32) -> Bool {
        var count: Int32 = 0
        // SIOCOUTQ of linux/sockios.h, which is TIOCOUTQ.
        return ioctl(connection, UInt(TIOCOUTQ), &count) != 0 || count == 0
    }

    /// A monotonic clock, in nanoseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Threads outside the shared pool, for blocking system calls.
package enum OwnThread {
    /// Runs `body` on a new thread.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Job(body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if result == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

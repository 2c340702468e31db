import Foundation
import Glibc

/// A connection whose every byte the test chooses. Calls that block have threads of their own.
final class RawConnection: Sendable {
    private let socket: Int32

    /// - Parameter seconds: After this time of silence a read gives up.
    init(port: Int, seconds: Int = 30) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard connected == 0 else { throw RawFailure(what: "connect", error: errno) }
    }

    deinit { close(socket) }

    /// Sends what the other side takes; false when it hung up.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await blocking { [socket] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    Glibc.send(
                        socket, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// The next bytes; empty at the end, or when the other side was silent for too long.
    func receive() async -> [UInt8] {
        await blocking { [socket] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(socket, &buffer, buffer.count, 0)
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// All bytes up to the end.
    func receiveAll() async -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = await receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// Reads until the text is there; what came before the end, or within two minutes, otherwise.
    /// Heartbeats keep a connection from ever being silent.
    func receive(until text: String) async -> String {
        var all = ""
        let deadline = ContinuousClock.now + .seconds(120)
        while !all.contains(text), ContinuousClock.now < deadline {
            let piece = await receive()
            if piece.isEmpty { return all }
            all += String(decoding: piece, as: UTF8.self)
        }
        return all
    }

    /// Says that no more will be sent.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Breaks the connection off, so that the other side gets a reset.
    func breakOff() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        shutdown(socket, Int32(SHUT_RDWR))
    }
}

struct RawFailure: Error {
    var what: String
    var error: Int32
}

/// Runs a call that blocks on a thread of its own: the few threads of tasks are the server's.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

import FilesinkiModel
import FilesinkiText
import Synchronization

/// A stream of a command: buffered, and flushed after each line of JSON.
package final class Output: Sendable {
    private let sink: any ByteSink
    private let buffer = Mutex<[UInt8]>([])
    private static let bufferSize = 64 * 1024

    package init(_ sink: any ByteSink) {
        self.sink = sink
    }

    /// Text and a newline.
    func line(_ text: String) throws {
        try write(text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// One JSON object on a line of its own, visible to a reader at once.
    func json(_ object: JSONObject) throws {
        try write(object.bytes)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
        try flush()
    }

    /// Bytes as they are.
    func write(_ bytes: some Collection<UInt8>) throws {
        try buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            if buffer.count >= Self.bufferSize { try Self.flush(&buffer, to: sink) }
        }
    }

    /// Hands on what is buffered.
    func flush() throws {
        try buffer.withLock { try Self.flush(&$0, to: sink) }
    }

    private static func flush(_ buffer: inout [UInt8], to sink: any ByteSink) throws {
        guard !buffer.isEmpty else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        try buffer.withUnsafeBytes(sink.write)
    }
}

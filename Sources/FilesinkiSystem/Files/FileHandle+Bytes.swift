import Glibc

// Reading and writing: the only loops over read(2), pread(2), write(2) and pwrite(2).

extension FileHandle {
    /// Reads once from where the file stands; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = unlessInterrupted { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        return count
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file.
    package func read(from offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try collect(count) { room, filled in
            pread(raw, room.baseAddress, room.count, off_t(offset) + off_t(filled))
        }
    }

    /// Up to `count` bytes from where the file stands; fewer only at the end of the file.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        try collect(count) { room, _ in Glibc.read(raw, room.baseAddress, room.count) }
    }

    /// All bytes up to the end, or one more than `count` when the file has grown.
    package func readAll(expecting count: Int) throws(SystemError) -> [UInt8] {
        try read(upTo: count + 1)
    }

    /// All bytes up to the end; nil when there are more than `limit`.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let piece = try read(upTo: 64 << 10)
            bytes += piece
            if bytes.count > limit { return nil }
            if piece.count < 64 << 10 { return bytes }
        }
    }

    private func collect(
        _ count: Int, _ call: (UnsafeMutableRawBufferPointer, _ filled: Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        var failed: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let all = UnsafeMutableRawBufferPointer(buffer)
            while filled < count {
                let room = UnsafeMutableRawBufferPointer(rebasing: all[filled..<count])
                let got = unlessInterrupted { call(room, filled) }
                if got < 0 { failed = .last }
                if got <= 0 { return }
                filled += got
            }
        }
        if let failed { throw failed }
        return bytes
    }

    /// Reads to the end in pieces of up to `capacity` bytes, and returns how many bytes there were.
    ///
    /// - Parameter body: The bytes are valid during the call only.
    package func forEachPiece(
        capacity: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { buffer.deallocate() }
        var total: Int64 = 0
        while true {
            let count = try read(into: buffer)
            if count == 0 { return total }
            total += Int64(count)
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes all of the bytes where the file stands.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try Self.writeAll(bytes) { rest, _ in Glibc.write(raw, rest.baseAddress, rest.count) }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(SystemError) in try write(bytes) }
    }

    /// Writes all of the bytes at a place.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(SystemError) in
            try Self.writeAll(bytes) { rest, done in
                pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
        }
    }

    /// Writes to a descriptor that somebody else opened and closes, such as standard output.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to raw: Int32
    ) throws(SystemError) {
        try writeAll(bytes) { rest, _ in Glibc.write(raw, rest.baseAddress, rest.count) }
    }

    /// Reads once from a descriptor that somebody else opened and closes; 0 at the end.
    package static func read(
        _ raw: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let count = unlessInterrupted { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw .last }
        return count
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ call: (UnsafeRawBufferPointer, _ done: Int) -> Int
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unlessInterrupted { call(rest, done) }
            guard count > 0 else { throw count == 0 ? SystemError(EIO) : .last }
            done += count
        }
    }
}

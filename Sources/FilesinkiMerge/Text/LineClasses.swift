import Glibc

/// The lines of several texts as numbers: equal lines, and only those, have the same number.
///
/// A line ends behind its newline or with the text, so that a last line without a newline is
/// another line than the same one with it.
struct LineClasses {
    /// All texts, one behind the other.
    let bytes: [UInt8]
    /// The lines of each text, in the order in which the texts were given.
    private(set) var texts: [Lines] = []
    /// Where the first line of each number is.
    private(set) var firsts: [Range<Int>] = []
    /// How many different lines there are; the numbers are below it.
    var count: Int32 { Int32(truncatingIfNeeded: firsts.count) }

    /// One text: where each line begins in the bytes, with the text's end as the last place, and
    /// each line's number.
    struct Lines {
        var starts: [Int]
        var classes: [Int32] = []

        /// The bytes of these lines.
        func bytes(_ lines: Range<Int>) -> Range<Int> {
            starts[lines.lowerBound]..<starts[lines.upperBound]
        }
    }

    init(of contents: [[UInt8]]) {
        // Appended run by run: a joined sequence is copied byte by byte.
        bytes = contents.dropFirst().reduce(into: contents.first ?? []) { $0 += $1 }
        var end = 0
        for content in contents {
            texts.append(Lines(starts: Self.starts(in: bytes, end..<(end + content.count))))
            end += content.count
        }
        classify()
    }

    private static func starts(in bytes: [UInt8], _ text: Range<Int>) -> [Int] {
        bytes.withUnsafeBytes { buffer in
            var starts = [text.lowerBound]
            var next = text.lowerBound
            while next < text.upperBound, let start = buffer.baseAddress {
                let rest = start + next
                let newline = memchr(rest, Int32(UInt8(ascii: "\n")), text.upperBound - next)
                next = newline.map { UnsafeRawPointer($0) - start + 1 } ?? text.upperBound
                starts.append(next)
            }
            return starts
        }
    }

    private mutating func classify() {
        let lineCount = texts.reduce(0) { $0 + $1.starts.count }
        var table = LineTable(lineCount: lineCount)
        bytes.withUnsafeBytes { buffer in
            for index in texts.indices {
                let starts = texts[index].starts
                texts[index].classes = zip(starts, starts.dropFirst()).map { start, end in
                    table.number(of: start..<end, in: buffer)
                }
            }
        }
        firsts = table.firsts
    }
}

/// A hash table from lines to numbers. It keeps no line, only where the first of its kind is.
private struct LineTable {
    private var slots: [Int32]
    private var hashes: [Int] = []
    private(set) var firsts: [Range<Int>] = []

    var count: Int32 { Int32(truncatingIfNeeded: firsts.count) }

    init(lineCount: Int) {
        var size = 16
        while size < lineCount * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
    }

    /// Swift's hasher has a seed for each process, so that no text can aim at one slot.
    mutating func number(of line: Range<Int>, in buffer: UnsafeRawBufferPointer) -> Int32 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[line]))
        let hash = hasher.finalize()
        var slot = hash & (slots.count - 1)
        while slots[slot] >= 0 {
            let known = Int(slots[slot])
            if hashes[known] == hash, Self.isEqual(firsts[known], line, in: buffer) {
                return slots[slot]
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = count
        hashes.append(hash)
        firsts.append(line)
        return slots[slot]
    }

    private static func isEqual(
        _ first: Range<Int>, _ second: Range<Int>, in buffer: UnsafeRawBufferPointer
    ) -> Bool {
        guard first.count == second.count, let start = buffer.baseAddress else { return false }
        return memcmp(start + first.lowerBound, start + second.lowerBound, first.count) == 0
    }
}

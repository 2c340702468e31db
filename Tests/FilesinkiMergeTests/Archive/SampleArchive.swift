import FilesinkiCompression
import Testing

@testable import FilesinkiMerge

/// An archive that a test writes, without the writer of the product.
struct SampleArchive {
    /// The parts in their order.
    private(set) var parts: [(name: String, content: [UInt8])] = []
    /// What each header says of all entries; a test of hostile archives changes it.
    var flags: UInt16 = 0
    var time: UInt16 = 0
    var hasDescriptors = false

    init(_ parts: [(String, String)]) {
        self.parts = parts.map { ($0, Array($1.utf8)) }
    }

    /// A part, which is added behind all others if it is new, or removed if its text is nil.
    subscript(name: String) -> String? {
        get { parts.first { $0.name == name }.map { String(decoding: $0.content, as: UTF8.self) } }
        set {
            let place = parts.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let text?): parts[place].content = Array(text.utf8)
            case (let place?, nil): parts.remove(at: place)
            case (nil, let text?): parts.append((name, Array(text.utf8)))
            case (nil, nil): break
            }
        }
    }

    /// The archive with texts of a part replaced.
    func edited(_ name: String, _ texts: String...) -> SampleArchive {
        var result = self
        for index in stride(from: 0, to: texts.count, by: 2) {
            let old = result[name] ?? ""
            #expect(old.contains(texts[index]), "\(name) has no \(texts[index])")
            result[name] = old.replacing(texts[index], with: texts[index + 1])
        }
        return result
    }

    /// The archive with other parts.
    func with(_ parts: [(String, String?)]) -> SampleArchive {
        parts.reduce(into: self) { $0[$1.0] = $1.1 }
    }

    func bytes() throws -> [UInt8] {
        var (local, central): ([UInt8], [UInt8]) = ([], [])
        for (name, content) in parts {
            let isStored = name == "mimetype" || content.isEmpty
            let data = isStored ? content : try Deflate.compress(content)
            var head: [UInt8] = []
            head.appendZip(flags | (hasDescriptors ? 8 : 0))
            head.appendZip(UInt16(isStored ? 0 : 8))
            head.appendZip(time)
            head.appendZip(UInt16(0x21))
            var sizes: [UInt8] = []
            sizes.appendZip(Deflate.checksum(content[...]))
            sizes.appendZip(UInt32(data.count))
            sizes.appendZip(UInt32(content.count))
            var length: [UInt8] = []
            length.appendZip(UInt16(name.utf8.count))
            let start = local.count
            local += [0x50, 0x4B, 3, 4, 20, 0] + head
            local += hasDescriptors ? [UInt8](repeating: 0, count: 12) : sizes
            local += length + [0, 0] + Array(name.utf8)
            local += data
            if hasDescriptors { local += [0x50, 0x4B, 7, 8] + sizes }
            central += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + head + sizes + length
            central += [UInt8](repeating: 0, count: 12)
            central.appendZip(UInt32(start))
            central += Array(name.utf8)
        }
        var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
        end.appendZip(UInt16(parts.count))
        end.appendZip(UInt16(parts.count))
        end.appendZip(UInt32(central.count))
        end.appendZip(UInt32(local.count))
        return local + central + end + [0, 0]
    }
}

extension SampleArchive {
    /// Merges three archives, in both orders.
    static func merged(
        _ kind: ArchiveKind, _ base: SampleArchive, _ ours: SampleArchive, _ theirs: SampleArchive,
        trace: MergeTrace? = nil
    ) throws -> MergeOutcome {
        let merge = ArchiveMerge(kind: kind)
        let input = MergeInput(
            base: try base.bytes(), ours: try ours.bytes(), theirs: try theirs.bytes(), trace: trace
        )
        let broken = MergeLaws(merge: merge, again: .unknown).broken(by: input)
        #expect(broken.isEmpty)
        return merge.merge(input)
    }
}

extension MergeOutcome {
    /// The merged archive's parts; nil where the merge declined.
    func part(_ name: String) throws -> String? {
        guard case .merged(let bytes) = self else { return nil }
        let package = ArchivePackage(try ZipArchive(bytes))
        return try package.content(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names of the merged archive's parts in their order; `declined` with the places of the conflicts.
    func names() throws -> [String] {
        switch self {
        case .merged(let bytes):
            try ZipArchive(bytes).entries.map { String(decoding: $0.name, as: UTF8.self) }
        case .declined(let conflicts): ["declined"] + conflicts.map(\.place)
        }
    }

    /// Why the merge declined; empty if it did not.
    var reasons: String {
        guard case .declined(let conflicts) = self else { return "" }
        return conflicts.map(\.description).joined(separator: "\n")
    }
}

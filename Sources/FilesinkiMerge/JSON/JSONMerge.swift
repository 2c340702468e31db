import FilesinkiModel
import FilesinkiText

/// A three-way merge of parsed documents that keeps their spelling and layout.
///
/// What a side did not change is copied byte for byte, white space included. Objects are merged by
/// key; arrays of objects by identity, where one is found; other arrays by value. Numbers are equal
/// where their exact values are, texts where their code units are: another spelling of the same
/// value is taken where the other side changed nothing, and never conflicts.
package struct JSONMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        do throws(Declined) {
            let ours = try Self.read(input.ours, "The version of this replica")
            if input.ours == input.theirs { return .merged(input.ours) }
            let theirs = try Self.read(input.theirs, "The committed version")
            guard let bytes = input.base else { return Self.merge(nil, ours, theirs, input) }
            if bytes == input.ours { return .merged(input.theirs) }
            if bytes == input.theirs { return .merged(input.ours) }
            return Self.merge(try Self.read(bytes, "The common version"), ours, theirs, input)
        } catch {
            return .declined([error.conflict])
        }
    }

    private struct Declined: Error {
        var conflict: MergeConflict
    }

    private static func read(
        _ bytes: [UInt8], _ name: String
    ) throws(Declined) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(bytes)
        } catch {
            throw Declined(conflict: error.conflict(name))
        }
    }

    private static func merge(
        _ base: JSONDocument?, _ ours: JSONDocument, _ theirs: JSONDocument, _ input: MergeInput
    ) -> MergeOutcome {
        var merger = JSONMerger(base, ours, theirs, input)
        return merger.merge()
    }

    /// Whether the bytes are a JSON document that can be merged.
    package static func isDocument(_ bytes: [UInt8]) -> Bool { (try? JSONDocument(bytes)) != nil }
}

/// One of the three versions.
enum JSONVersion: Int, CaseIterable {
    case base, ours, theirs

    /// The side that is not this one.
    var other: JSONVersion { self == .ours ? .theirs : .ours }
}

/// The same value, member or element in each version; nil where a version lacks it.
struct JSONTrio: Hashable {
    var base: Int?
    var ours: Int?
    var theirs: Int?

    subscript(version: JSONVersion) -> Int? {
        get {
            switch version {
            case .base: base
            case .ours: ours
            case .theirs: theirs
            }
        }
        set {
            switch version {
            case .base: base = newValue
            case .ours: ours = newValue
            case .theirs: theirs = newValue
            }
        }
    }
}

/// The place in the documents that is being merged.
struct JSONPlace {
    /// A key without quotes and escapes, or the digits of an index.
    private(set) var tokens: [[UInt8]] = []

    mutating func enter(_ token: [UInt8]) { tokens.append(token) }

    mutating func leave() { tokens.removeLast() }

    /// The tokens as a pattern of fields compares them.
    var texts: [String] { tokens.map { String(decoding: $0, as: UTF8.self) } }

    /// The place as a JSON Pointer (RFC 6901); invalid Unicode is replaced.
    var pointer: String {
        tokens.map { token in
            var result: [UInt8] = [UInt8(ascii: "/")]
            for byte in token {
                switch byte {
                case UInt8(ascii: "~"): result += Array("~0".utf8)
                case UInt8(ascii: "/"): result += Array("~1".utf8)
                default: result.append(byte)
                }
            }
            return String(decoding: result, as: UTF8.self)
        }.joined()
    }
}

extension JSONError {
    /// - Parameter side: The version, such as `The committed version`.
    func conflict(_ side: String) -> MergeConflict {
        MergeConflict("", "\(side) is not JSON that can be merged: line \(line) \(reason).")
    }
}

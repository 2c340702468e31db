/// One of the three versions.
enum MergeVersion: Int, CaseIterable {
    case base, ours, theirs

    /// The side that is not this one.
    var other: MergeVersion { self == .ours ? .theirs : .ours }
}

/// The same thing in each version; nil where a version lacks it.
struct MergeTrio<Thing> {
    var base: Thing?
    var ours: Thing?
    var theirs: Thing?

    subscript(version: MergeVersion) -> Thing? {
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

extension MergeTrio: Equatable where Thing: Equatable {}
extension MergeTrio: Hashable where Thing: Hashable {}

extension MergeTrio {
    /// The same of what each version has.
    func map<Result>(_ transform: (Thing) -> Result?) -> MergeTrio<Result> {
        MergeTrio<Result>(
            base: base.flatMap(transform), ours: ours.flatMap(transform),
            theirs: theirs.flatMap(transform))
    }
}

extension MergeTrio<SyntaxItem.Role> {
    /// Whether it is no comment.
    var isValue: Bool { (base ?? ours ?? theirs) == .value }
}

/// The place in the documents that is being merged.
struct MergePlace {
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

extension MergeInput {
    /// The side that a user chose for fields that both changed; nil if none was chosen.
    var chosenSide: MergeVersion? {
        switch settings.fieldChoice {
        case nil: nil
        case .ours: .ours
        case .theirs: .theirs
        case .newest: newest
        case .oldest: newest?.other
        }
    }

    /// The side whose version of a conflict is written; nil to decline.
    var conflictSide: MergeVersion? {
        chosenSide ?? settings.markedSide.map { $0 == .ours ? .ours : .theirs }
    }

    /// ``conflictSide`` where the user chose no side.
    var markedSide: MergeVersion? { chosenSide == nil ? conflictSide : nil }

    /// The side that was modified later; nil where the times are equal.
    var newest: MergeVersion? {
        guard oursModified != theirsModified else { return nil }
        return oursModified > theirsModified ? .ours : .theirs
    }
}

extension MergeTrio<Int> {
    /// Whether both sides have what the base does not have.
    var isAddedAlike: Bool { base == nil && ours != nil && theirs != nil }
}

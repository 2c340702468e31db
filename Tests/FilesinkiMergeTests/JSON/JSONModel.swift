import FilesinkiText

/// A document as a tree, to make up versions of it and write them down.
indirect enum JSONModel: Hashable {
    case scalar(String)
    case array([JSONModel])
    case object([Member])

    struct Member: Hashable {
        var key: String
        var value: JSONModel
    }

    /// - Parameter indent: spaces of one level; nil for one line.
    func written(indent: Int? = 2, level: Int = 0) -> String {
        switch self {
        case .scalar(let text): text
        case .array(let elements):
            Self.enclosed(
                "[", elements.map { $0.written(indent: indent, level: level + 1) }, "]", indent,
                level)
        case .object(let members):
            Self.enclosed(
                "{",
                members.map {
                    "\"\($0.key)\":\(indent == nil ? "" : " ")"
                        + $0.value.written(indent: indent, level: level + 1)
                }, "}", indent, level)
        }
    }

    private static func enclosed(
        _ open: String, _ parts: [String], _ close: String, _ indent: Int?, _ level: Int
    ) -> String {
        guard let indent, !parts.isEmpty else { return open + parts.joined(separator: ",") + close }
        let outer = String(repeating: " ", count: indent * level)
        let inner = "\n" + outer + String(repeating: " ", count: indent)
        return open + inner + parts.joined(separator: "," + inner) + "\n" + outer + close
    }
}

/// Documents and edits of them that a seed makes up.
struct JSONMaker {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64: Steele, Lea and Flood, OOPSLA 2014.
    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    mutating func scalar() -> JSONModel {
        switch below(5) {
        case 0: .scalar(["true", "false", "null"][below(3)])
        case 1: .scalar("\"\(["é", "\\u00e9", "\\ud800", "x\\ny", "a/b~c"][below(5)])\"")
        case 2: .scalar(["1.0", "1e2", "100", "-0", "18446744073709551617"][below(5)])
        default: .scalar("\(below(40))")
        }
    }

    mutating func value(depth: Int = 0) -> JSONModel {
        switch depth > 3 ? 0 : below(6) {
        case 0, 1: return scalar()
        case 2: return .array((0..<below(6)).map { _ in scalar() })
        case 3:
            let kinds = below(3)
            return .array(
                (0..<below(5)).map { index in
                    kinds == 0 ? value(depth: depth + 1) : record(index, depth: depth + 1)
                })
        default: return object(depth: depth)
        }
    }

    mutating func object(depth: Int = 0) -> JSONModel {
        .object(
            (0..<below(6)).map {
                JSONModel.Member(key: "k\($0)", value: value(depth: depth + 1))
            })
    }

    private mutating func record(_ id: Int, depth: Int) -> JSONModel {
        .object([
            .init(key: "id", value: .scalar("\(id)")), .init(key: "v", value: value(depth: depth)),
        ])
    }

    mutating func edited(_ model: JSONModel, depth: Int = 0) -> JSONModel {
        if below(12) == 0 { return value(depth: depth) }
        switch model {
        case .scalar: return below(2) == 0 ? scalar() : model
        case .array(var elements):
            change(&elements, depth: depth)
            if below(3) == 0 { insertElement(&elements, depth) }
            return .array(elements)
        case .object(var members):
            var values = members.map(\.value)
            if let index = values.indices.randomElement(using: &self) {
                values[index] = edited(values[index], depth: depth + 1)
            }
            for index in members.indices { members[index].value = values[index] }
            if below(3) == 0, !members.isEmpty { members.remove(at: below(members.count)) }
            if below(3) == 0 { insertMember(&members, depth) }
            return .object(members)
        }
    }

    private mutating func change(_ elements: inout [JSONModel], depth: Int) {
        guard !elements.isEmpty else { return }
        let index = below(elements.count)
        switch below(4) {
        case 0: elements.remove(at: index)
        case 1: elements.insert(elements.remove(at: index), at: below(elements.count + 1))
        default: elements[index] = edited(elements[index], depth: depth + 1)
        }
    }

    private mutating func insertElement(_ elements: inout [JSONModel], _ depth: Int) {
        let isRecords = elements.contains { if case .object = $0 { true } else { false } }
        let new = isRecords ? record(10 + below(20), depth: depth + 1) : scalar()
        elements.insert(new, at: below(elements.count + 1))
    }

    private mutating func insertMember(_ members: inout [JSONModel.Member], _ depth: Int) {
        let key = "n\(below(30))"
        guard !members.contains(where: { $0.key == key }) else { return }
        members.insert(
            .init(key: key, value: value(depth: depth + 1)), at: below(members.count + 1))
    }
}

extension JSONMaker: RandomNumberGenerator {
    mutating func next() -> UInt64 { UInt64(below(.max)) << 1 | UInt64(below(2)) }
}

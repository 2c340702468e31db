/// Values of attributes that a document has more than once.
struct RepeatedAttributes {
    private var counts: [[UInt8]: Int] = [:]

    mutating func add(_ element: String, _ attribute: XMLPart.Attribute) {
        let key = Array(element.utf8) + [0x20] + attribute.name + [0x3D] + attribute.value
        counts[key, default: 0] += 1
    }

    /// Each with how often it occurs.
    var repeated: Set<[UInt8]> {
        Set(
            counts.filter { $0.value > 1 }.map { key, count in
                key + Array(" (\(count) times)".utf8)
            })
    }
}

/// The marks where something begins and ends, which blocks of two sides can have apart.
struct PairedMarks {
    let start: String
    let end: String
    /// The attribute that both have in common.
    let attribute: String

    /// What a part has one mark of, and not the other.
    static func unpaired(_ marks: [PairedMarks], _ part: XMLPart) -> Set<[UInt8]> {
        var (starts, ends): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        for element in part.elements.indices {
            let name = part.name(element)
            for mark in marks {
                let isStart = name.elementsEqual(mark.start.utf8)
                guard isStart || name.elementsEqual(mark.end.utf8),
                    let value = part.attribute(mark.attribute, of: element)
                else { continue }
                let key = Array("\(mark.start) ".utf8) + value
                if isStart { starts.insert(key) } else { ends.insert(key) }
            }
        }
        return starts.symmetricDifference(ends)
    }
}

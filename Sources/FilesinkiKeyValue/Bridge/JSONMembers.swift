internal import FilesinkiModel
import FilesinkiText

/// The members of a JSON object with their places in the text, so that one is changed and the others
/// stay as they are written.
struct JSONMembers {
    struct Member {
        var name: String
        var value: TypedValue
        /// From the name's quote to the end of the value.
        var whole: Range<Int>
        var content: Range<Int>
    }

    private(set) var bytes: [UInt8]
    private(set) var members: [Member]

    /// - Throws: `Failure` with code `usage` for anything but an object; nothing is an empty one.
    init(_ bytes: [UInt8]) throws(Failure) {
        let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        self.bytes = isEmpty ? Array("{}\n".utf8) : bytes
        members = try JSONReader(form: .plain).members(self.bytes)
    }

    /// Sets or removes one member.
    mutating func set(_ name: String, _ value: TypedValue?) {
        let index = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        switch (index, value) {
        case (let index?, let value?):
            bytes.replaceSubrange(members[index].content, with: JSONText.encode(value))
        case (let index?, nil): remove(index)
        case (nil, let value?): append(name, value)
        case (nil, nil): break
        }
    }

    private mutating func remove(_ index: Int) {
        if index + 1 < members.count {
            bytes.removeSubrange(
                members[index].whole.lowerBound..<members[index + 1].whole.lowerBound)
        } else if index > 0 {
            bytes.removeSubrange(
                members[index - 1].whole.upperBound..<members[index].whole.upperBound)
        } else {
            bytes.removeSubrange(members[index].whole)
        }
    }

    private mutating func append(_ name: String, _ value: TypedValue) {
        var text: [UInt8] = []
        JSONString.append(name, to: &text)
        text += Array(": ".utf8) + JSONText.encode(value)
        guard let last = members.last else {
            let place = (bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0) + 1
            bytes.insert(contentsOf: Array("\n  ".utf8) + text, at: place)
            if bytes[place + 3 + text.count] == UInt8(ascii: "}") {
                bytes.insert(UInt8(ascii: "\n"), at: place + 3 + text.count)
            }
            return
        }
        // The space before the last name is the file's own indentation.
        var start = last.whole.lowerBound
        while start > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1]) { start -= 1 }
        let space = Array(bytes[start..<last.whole.lowerBound])
        bytes.insert(
            contentsOf: [UInt8(ascii: ",")] + space + text, at: last.whole.upperBound)
    }
}

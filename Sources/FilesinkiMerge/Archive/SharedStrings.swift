/// The texts of the cells of a workbook in three versions, in one list.
struct SharedStrings {
    private let versions: PackageVersions
    /// The part with the list, and the list that is right for all versions; nil where none has one.
    let list: (name: [UInt8], text: [UInt8])?
    /// The number in the list of each number in a version.
    private let numbers: [MergeVersion: [Int]]

    init(_ versions: PackageVersions) throws {
        self.versions = versions
        let found = try Self.parts(of: versions)
        let frame = versions.frame
        guard let first = found[frame] ?? found[frame.other] else {
            (list, numbers) = (nil, [:])
            return
        }
        // The list that stays keeps its numbers, also those of equal texts.
        let owner = found[frame] == nil ? frame.other : frame
        var numbers: [MergeVersion: [Int]] = [owner: Array(first.part.elements[0].children.indices)]
        var count = first.part.elements[0].children.count
        var places: [[UInt8]: Int] = [:]
        for (place, child) in first.part.elements[0].children.enumerated() {
            let text = Array(first.part.text(child))
            if places[text] == nil { places[text] = place }
        }
        // Texts of the base that no side has any more are behind all others, and not written.
        var added: [UInt8] = []
        for version in [frame.other, .base] where numbers[version] == nil {
            guard let part = found[version]?.part else { continue }
            numbers[version] = part.elements[0].children.map { child in
                let text = Array(part.text(child))
                if let place = places[text] { return place }
                places[text] = count
                count += 1
                if version != .base { added += text }
                return count - 1
            }
        }
        self.numbers = numbers
        list = (first.name, Self.text(first.part, adding: added))
    }

    /// The parts with the lists of the versions that have one.
    private static func parts(
        of versions: PackageVersions
    ) throws -> [MergeVersion: (name: [UInt8], part: XMLPart)] {
        var found: [MergeVersion: (name: [UInt8], part: XMLPart)] = [:]
        for version in MergeVersion.allCases {
            guard let types = try OOXMLTypes(versions[version]),
                let name = types.part(ofType: WorkbookRules.sharedStringsType)
            else { continue }
            guard let part = try versions[version].document(name), part.isNamed(0, "sst"),
                part.isContainer(0)
            else { throw PackageError(String(decoding: name, as: UTF8.self), "It cannot be read.") }
            found[version] = (name, part)
        }
        guard Set(found.values.map(\.name)).count < 2 else {
            throw PackageError("", "The texts of the cells are in other parts.")
        }
        return found
    }

    /// The list with more texts, and without its counts, which are not needed.
    private static func text(_ part: XMLPart, adding added: [UInt8]) -> [UInt8] {
        guard !added.isEmpty, !part.elements[0].content.isEmpty else { return part.bytes }
        let root = part.text(
            0,
            edit: { element, attribute in
                let isCount = attribute.isNamed("count") || attribute.isNamed("uniqueCount")
                return element == 0 && isCount ? .remove : .keep
            })
        let range = part.elements[0].range
        let end = range.upperBound - part.elements[0].content.upperBound
        return Array(part.slice(0..<range.lowerBound)) + root.dropLast(end) + added
            + root.suffix(end) + part.slice(range.upperBound..<part.bytes.count)
    }

    /// A sheet of a version with the numbers of the list.
    func rewritten(_ name: [UInt8], _ version: MergeVersion) throws -> [UInt8] {
        guard let part = try versions[version].document(name) else { throw ZipArchive.damaged }
        var result: [UInt8] = []
        var place = 0
        for element in part.elements.indices where part.isNamed(element, "c") {
            guard let text = part.sharedString(element) else { continue }
            guard let numbers = numbers[version], numbers.indices.contains(text.number) else {
                throw ZipArchive.damaged
            }
            result += part.slice(place..<text.range.lowerBound)
            result += Array(String(numbers[text.number]).utf8)
            place = text.range.upperBound
        }
        return result + part.slice(place..<part.bytes.count)
    }
}

extension XMLPart {
    /// The number of the text of a cell, and where it is written; nil for a cell with something else.
    func sharedString(_ cell: Int) -> (number: Int, range: Range<Int>)? {
        guard attribute("t", of: cell)?.elementsEqual("s".utf8) ?? false,
            let value = child("v", of: cell)
        else { return nil }
        let range = elements[value].content
        return (Int(text: slice(range)) ?? .max, range)
    }
}

extension Int {
    /// A number in plain digits.
    init?(text: ArraySlice<UInt8>) {
        guard 1...9 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self = text.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
}

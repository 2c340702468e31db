/// The sheets of the three versions of a workbook with common numbers of their texts.
///
/// A cell names its text by a number in a list, which each save may write in another order. The list of the frame stays,
/// and gets the texts that only the other side has behind its own. Where the numbers of styles, or what was computed
/// from cells, would not fit together, the merge declines.
struct WorkbookAlignment {
    private let versions: PackageVersions

    init(_ versions: PackageVersions) { self.versions = versions }

    /// - Returns: Nothing where at most one side changed the workbook.
    func aligned() throws -> [MergeVersion: [[UInt8]: [UInt8]]] {
        guard try isChangedTwice() else { return [:] }
        let sheets = try sheets(.base)
        for version in MergeVersion.allCases {
            guard try Set(self.sheets(version)) == Set(sheets) else {
                throw PackageError("", "One side added or removed a sheet, the other changed one.")
            }
            try checkKinds(version, sheets)
        }
        try checkStyles()
        let lists = try SharedStrings(versions)
        var result: [MergeVersion: [[UInt8]: [UInt8]]] = [:]
        for version in MergeVersion.allCases {
            if let list = lists.list { result[version, default: [:]][list.name] = list.text }
            for name in sheets {
                result[version, default: [:]][name] = try lists.rewritten(name, version)
            }
        }
        for name in sheets { try checkPlaces(name, result) }
        return result
    }

    /// Whether both sides changed anything in the folder of the workbook.
    private func isChangedTwice() throws -> Bool {
        guard let main = try OOXMLPackage.mainPart(versions.base)?.name else { return true }
        let folder = main[..<(main.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)]
        let names = Set(versions.all.flatMap(\.names)).filter { $0.starts(with: folder) }
        for side in [MergeVersion.ours, .theirs] {
            var isChanged = false
            for name in names where try !versions.isUnchanged(name, side) { isChanged = true }
            if !isChanged { return false }
        }
        return true
    }

    private func sheets(_ version: MergeVersion) throws -> [[UInt8]] {
        guard let types = try OOXMLTypes(versions[version]) else { return [] }
        return versions[version].names.filter { name in
            types[name]?.hasSuffix("spreadsheetml.worksheet+xml") ?? false
        }
    }

    // MARK: What cannot be merged

    /// The ends of the types of parts that hold nothing that is computed from cells.
    private static let plainTypes = [
        ".main+xml", "worksheet+xml", "sharedStrings+xml", "spreadsheetml.styles+xml", "theme+xml",
        "relationships+xml", "printerSettings", "image/png", "image/jpeg", "image/gif",
        "drawing+xml", "vmlDrawing", "spreadsheetml.comments+xml", "vnd.ms-office.vbaProject",
        "core-properties+xml", "extended-properties+xml", "custom-properties+xml",
    ]

    private func checkKinds(_ version: MergeVersion, _ sheets: [[UInt8]]) throws {
        let package = versions[version]
        guard let types = try OOXMLTypes(package) else { throw ZipArchive.damaged }
        for name in package.names where name != OOXMLTypes.name {
            guard let type = types[name], Self.plainTypes.contains(where: type.hasSuffix) else {
                throw PackageError(
                    String(decoding: name, as: UTF8.self),
                    "Both sides changed a workbook with tables, charts or the like.")
            }
        }
        for name in sheets {
            guard let part = try package.document(name), part.isNamed(0, "worksheet") else {
                throw PackageError(String(decoding: name, as: UTF8.self), "It cannot be read.")
            }
            if part.elements.indices.contains(where: { part.isNamed($0, "f") }) {
                throw PackageError(
                    String(decoding: name, as: UTF8.self),
                    "Both sides changed a workbook with formulas, whose results it holds.")
            }
        }
    }

    /// The lists of formats, of which cells and formats name elements by number.
    private static let formatLists = [
        "numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs",
    ]

    /// The formats that both sides began with must be first in the list of the side that added some.
    private func checkStyles() throws {
        guard let types = try OOXMLTypes(versions.base),
            let name = types.part(ofType: "spreadsheetml.styles+xml")
        else { return }
        for side in [MergeVersion.ours, .theirs] where try !versions.isUnchanged(name, side) {
            guard let base = try versions.base.document(name),
                let part = try versions[side].document(name),
                Self.formatLists.allSatisfy({ list in
                    Self.children(list, part).starts(with: Self.children(list, base))
                })
            else {
                throw PackageError(
                    String(decoding: name, as: UTF8.self),
                    "One side changed the formats, the other changed cells.")
            }
        }
    }

    private static func children(_ list: String, _ part: XMLPart) -> [ArraySlice<UInt8>] {
        guard let parent = part.child(list, of: 0) else { return [] }
        return part.elements[parent].children.map(part.text)
    }

    /// Of a sheet that both sides changed, only cells may be others, and each where it was.
    private func checkPlaces(
        _ name: [UInt8], _ texts: [MergeVersion: [[UInt8]: [UInt8]]]
    ) throws {
        let parts = MergeVersion.allCases.compactMap { texts[$0]?[name].flatMap(XMLPart.init) }
        guard parts.count == 3, parts[0].bytes != parts[1].bytes,
            parts[0].bytes != parts[2].bytes, parts[1].bytes != parts[2].bytes
        else { return }
        let base = SheetPlaces(parts[0])
        for side in parts.dropFirst() {
            let places = SheetPlaces(side)
            guard places.rest == base.rest else {
                throw PackageError(
                    String(decoding: name, as: UTF8.self),
                    "Both sides changed the sheet, one of them more than cells.")
            }
            guard places.isInPlace(base) else {
                throw PackageError(
                    String(decoding: name, as: UTF8.self),
                    "One side inserted, removed or moved cells, the other changed the sheet.")
            }
        }
    }

    // MARK: The result

    /// Cells of the result that name no text or no format.
    static func conflicts(_ merged: MergedPackage) throws(ZipError) -> [MergeConflict] {
        try merged.newFaults(missing).map { name in
            MergeConflict(part: name, "A cell has a text or a format that does not exist.")
        }
    }

    private static func missing(_ version: ArchivePackage) throws(ZipError) -> Set<[UInt8]> {
        guard let types = try OOXMLTypes(version) else { return [] }
        func count(_ ending: String, _ list: String?) throws(ZipError) -> Int {
            guard let name = types.part(ofType: ending), let part = try version.document(name)
            else {
                return 0
            }
            guard let list else { return part.elements[0].children.count }
            return part.child(list, of: 0).map { part.elements[$0].children.count } ?? 0
        }
        let texts = try count(WorkbookRules.sharedStringsType, nil)
        let formats = max(1, try count("spreadsheetml.styles+xml", "cellXfs"))
        var result: Set<[UInt8]> = []
        for name in version.names
        where types[name]?.hasSuffix("spreadsheetml.worksheet+xml") ?? false {
            guard let part = try version.document(name) else { continue }
            for element in part.elements.indices where part.isNamed(element, "c") {
                let format = part.attribute("s", of: element).map { Int(text: $0) ?? .max } ?? 0
                let text = part.sharedString(element)?.number ?? -1
                if format >= formats || text >= texts { result.insert(name) }
            }
        }
        return result
    }
}

/// Where a sheet has its rows and cells.
private struct SheetPlaces {
    /// What is not rows and cells, nor written by each save.
    let rest: [ArraySlice<UInt8>]
    /// The rows by their contents without their numbers, and their numbers.
    private var rows: [(text: [UInt8], number: Int, cells: [(text: [UInt8], number: Int)])] = []

    init(_ part: XMLPart) {
        rest = part.elements[0].children.filter { child in
            !["sheetData", "dimension", "sheetViews"].contains { part.isNamed(child, $0) }
        }.map(part.text)
        guard let data = part.child("sheetData", of: 0) else { return }
        for row in part.elements[data].children {
            let cells = part.elements[row].children.map { cell in
                (
                    text: Self.text(part, cell),
                    number: WorkbookRules.column(of: Self.reference(part, cell))
                )
            }
            rows.append(
                (
                    Array(cells.map(\.text).joined(separator: [0])),
                    WorkbookRules.number(of: Self.reference(part, row)), cells
                ))
        }
    }

    private static func reference(_ part: XMLPart, _ element: Int) -> [UInt8] {
        part.attribute("r", of: element).map(Array.init) ?? []
    }

    private static func text(_ part: XMLPart, _ cell: Int) -> [UInt8] {
        part.text(cell, edit: { _, attribute in attribute.isNamed("r") ? .remove : .keep })
    }

    /// Whether rows and cells ascend, and whether those that are also in another version are where they are there.
    func isInPlace(_ base: SheetPlaces) -> Bool {
        guard
            Self.isInPlace(
                rows.map { ($0.text, $0.number) }, base.rows.map { ($0.text, $0.number) })
        else { return false }
        let old = Dictionary(
            base.rows.map { ($0.number, $0.cells) }, uniquingKeysWith: { one, _ in one })
        return rows.allSatisfy { row in
            Self.isInPlace(row.cells, old[row.number] ?? [])
        }
    }

    private static func isInPlace(
        _ side: [(text: [UInt8], number: Int)], _ base: [(text: [UInt8], number: Int)]
    ) -> Bool {
        guard zip(side, side.dropFirst()).allSatisfy({ $0.number < $1.number }) else {
            return false
        }
        var texts = ByteNumbers(capacity: side.count)
        let (old, new) = (
            base.map { texts.number(of: $0.text) }, side.map { texts.number(of: $0.text) }
        )
        let changes = SequenceDiff.changes(old, new)
        var (left, right) = (0, 0)
        for change in changes + [.init(base: old.count..<old.count, side: new.count..<new.count)] {
            while left < change.base.lowerBound {
                guard base[left].number == side[right].number else { return false }
                (left, right) = (left + 1, right + 1)
            }
            (left, right) = (change.base.upperBound, change.side.upperBound)
        }
        return true
    }
}

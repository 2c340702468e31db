/// What belongs together in the header of a gettext catalogue.
enum POHeader {
    private static let date = "PO-Revision-Date"
    private static let translator = "Last-Translator"
    private static let program = "X-Generator"

    /// The lines that belong to the date of the last revision: the side with the later one says who made it, and with
    /// which program.
    static func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField] {
        let dates = trees.map { tree in value(date, in: tree) }
        guard let ours = dates.ours, let theirs = dates.theirs, ours != theirs,
            ours != dates.base, theirs != dates.base
        else { return [] }
        let side: MergeVersion = theirs.lexicographicallyPrecedes(ours) ? .ours : .theirs
        return [translator, program].map { name in
            FollowingField(
                pattern: FieldPattern(["*", "msgstr", name]), leader: ["0", "msgstr", date],
                side: side, followsAlways: name == translator)
        }
    }

    /// The value of a line; nil without a header in lines, and without the line.
    private static func value(_ name: String, in tree: SyntaxTree) -> [UInt8]? {
        let header = tree.items(of: tree.root).first { item in
            item.role == .value && item.value.form == .value && tree.slice(item.key).isEmpty
        }
        let text = header.flatMap { item in
            tree.items(of: item.value).first { tree.slice($0.name).elementsEqual("msgstr".utf8) }
        }
        let line = text.flatMap { item in
            tree.items(of: item.value).first { tree.slice($0.name).elementsEqual(name.utf8) }
        }
        return line.map { Array(tree.slice($0.value.meaning)) }
    }
}

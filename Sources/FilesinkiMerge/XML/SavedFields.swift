import FilesinkiText

/// What a program writes into a file at each save, whatever was edited: when, by which program, and what was in view.
///
/// None of it is content. Where both sides changed such a field, it is the one of the side that the file says was saved
/// later, or by the newer program; where the file does not say it on both sides, the greater one.
struct SavedFields {
    /// The name of the outermost element.
    let root: String
    /// Where a version says when it was saved, or by which program.
    let order: [String]
    /// Whether the first of two versions was saved later; nil where neither was.
    let isLater: @Sendable (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Bool?
    /// The fields, ``order`` first.
    let fields: [[String]]

    /// The attributes and elements that come from one side; none for other XML.
    static func followers(_ trees: MergeTrio<SyntaxTree>) -> [FollowingField] {
        guard let ours = trees.ours, let theirs = trees.theirs,
            let saved = all.first(where: {
                isRoot($0.root, of: ours) && isRoot($0.root, of: theirs)
            })
        else { return [] }
        let side = saved.laterSide(trees)
        return saved.fields.map { field in
            FollowingField(
                pattern: FieldPattern(field), leader: field, side: side, followsAlways: false)
        }
    }

    private static func isRoot(_ name: String, of tree: SyntaxTree) -> Bool {
        tree.slice(tree.root.range).dropFirst()
            .prefix { !$0.isSpace && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
            .elementsEqual(name.utf8)
    }

    /// The side that was saved later; nil unless both say when, and not what the base says.
    private func laterSide(_ trees: MergeTrio<SyntaxTree>) -> MergeVersion? {
        let texts = trees.map { text(of: order[...], in: $0.root, $0) ?? [] }
        guard let ours = texts.ours, let theirs = texts.theirs, !ours.isEmpty, !theirs.isEmpty,
            ours != theirs, ours != texts.base, theirs != texts.base
        else { return nil }
        return isLater(ours, theirs).map { $0 ? .ours : .theirs }
    }

    /// The value of an attribute, or the text of an element.
    private func text(
        of names: ArraySlice<String>, in node: SyntaxNode, _ tree: SyntaxTree
    ) -> ArraySlice<UInt8>? {
        let name = names.first ?? Self.text
        let item = tree.items(of: node).first { item in
            item.role == .value && tree.slice(item.name).elementsEqual(name.utf8)
        }
        guard let item else { return nil }
        return item.value.kind == .scalar
            ? tree.slice(item.value.meaning) : text(of: names.dropFirst(), in: item.value, tree)
    }

    /// What the text of an element is called.
    private static let text = "text()"
}

extension SavedFields {
    private static let all = [diagram, graph, drawing, interface, outline]

    /// draw.io: who saved the file, and the scroll position of each page.
    ///
    /// Later versions of the program write no time.
    private static let diagram = SavedFields(
        root: "mxfile", order: ["modified"],
        isLater: { $1.lexicographicallyPrecedes($0) },
        fields: [
            "modified", "etag", "agent", "userAgent", "version", "editor", "host", "type", "pages",
        ].map { [$0] } + ["dx", "dy"].map { ["*", "mxGraphModel", $0] })

    /// A page of draw.io without a file around it.
    private static let graph = SavedFields(
        root: "mxGraphModel", order: ["modified"], isLater: { _, _ in nil },
        fields: [["dx"], ["dy"]])

    /// Inkscape: its version, and what its window showed.
    private static let drawing = SavedFields(
        root: "svg", order: ["inkscape:version"],
        // `1.2.2 (b0a8486541, 2022-12-01)`.
        isLater: { one, other in
            VersionText.isNewer(one.prefix { !$0.isSpace }, other.prefix { !$0.isSpace })
        },
        fields: [["inkscape:version"], ["sodipodi:version"]]
            + [
                "zoom", "cx", "cy", "rotation", "current-layer", "window-width", "window-height",
                "window-x", "window-y", "window-maximized",
            ].map { ["*", "inkscape:\($0)"] })

    /// Interface Builder: the versions of the programs that saved a storyboard, which the newest one reads.
    private static let interface = SavedFields(
        root: "document", order: ["toolsVersion"], isLater: { VersionText.isNewer($0, $1) },
        fields: [["toolsVersion"], ["systemVersion"], ["dependencies", "plugIn", "version"]])

    /// OPML: the time, and what the window showed.
    private static let outline = SavedFields(
        root: "opml", order: ["head", "dateModified"],
        isLater: { one, other in
            guard let ours = DateText.seconds(http: String(decoding: one, as: UTF8.self)),
                let theirs = DateText.seconds(http: String(decoding: other, as: UTF8.self)),
                ours != theirs
            else { return nil }
            return ours > theirs
        },
        fields: [
            "dateModified", "expansionState", "vertScrollState", "windowTop", "windowLeft",
            "windowBottom", "windowRight",
        ].map { ["head", $0] })
}

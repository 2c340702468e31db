/// A file of a page.
struct PageFile: Sendable {
    var type: String
    var bytes: [UInt8]
}

/// A page: its document, which has the style and the scripts in it, and its icon.
///
/// A browser paints after one answer, where it would otherwise wait for each file that the document names.
struct PageFiles: Sendable {
    let policy: PagePolicy
    /// By their names; the document has none.
    private let files: [String: PageFile]

    /// The page of a replica.
    static let ofReplica = PageFiles(
        PackageResources.page_html,
        scripts: [
            PackageResources.conflictsides_js, PackageResources.conflict_js,
            PackageResources.deleted_js, PackageResources.views_js, PackageResources.page_js,
        ])

    /// The page of a store.
    static let ofStore = PageFiles(
        PackageResources.store_html,
        scripts: [PackageResources.storeviews_js, PackageResources.store_js])

    /// - Parameters:
    ///   - document: Has one empty element for the style, and one for the scripts.
    ///   - scripts: Those that only this page has, in their order.
    private init(_ document: [UInt8], scripts: [[UInt8]]) {
        let style = PackageResources.page_css
        let common = [
            PackageResources.compare_js, PackageResources.frame_js, PackageResources.parts_js,
        ]
        let script = Array((common + scripts).joined())
        policy = PagePolicy(style: style, script: script)
        let whole = Self.filled(Self.filled(document, "style", style), "script", script)
        files = [
            "": PageFile(type: "text/html; charset=utf-8", bytes: whole),
            "icon.svg": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg),
        ]
    }

    subscript(name: String) -> PageFile? { files[name] }

    /// Puts a text into the empty element of a document.
    private static func filled(
        _ document: [UInt8], _ element: String, _ text: [UInt8]
    ) -> [UInt8] {
        let (begin, end) = (Array("<\(element)>".utf8), Array("</\(element)>".utf8))
        return document.replacing(begin + end, with: begin + text + end)
    }
}

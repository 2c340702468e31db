/// A file of a page.
struct PageFile: Sendable {
    var type: String
    var bytes: [UInt8]

    /// The files of the page of a replica, by their names; the page itself has none.
    static let ofReplica = common.merging([
        "": html(PackageResources.page_html),
        "views.js": script(PackageResources.views_js),
        "conflict.js": script(PackageResources.conflict_js),
        "page.js": script(PackageResources.page_js),
    ]) { $1 }

    /// The files of the page of a store.
    static let ofStore = common.merging([
        "": html(PackageResources.store_html),
        "storeviews.js": script(PackageResources.storeviews_js),
        "store.js": script(PackageResources.store_js),
    ]) { $1 }

    private static let common = [
        "page.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.page_css),
        "icon.svg": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg),
        "frame.js": script(PackageResources.frame_js),
        "parts.js": script(PackageResources.parts_js),
        "compare.js": script(PackageResources.compare_js),
    ]

    private static func html(_ bytes: [UInt8]) -> PageFile {
        PageFile(type: "text/html; charset=utf-8", bytes: bytes)
    }

    private static func script(_ bytes: [UInt8]) -> PageFile {
        PageFile(type: "text/javascript; charset=utf-8", bytes: bytes)
    }
}

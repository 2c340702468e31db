import FilesinkiRemote

/// How a key may be written: see *Keys* in Docs/Format.md.
///
/// A slot is a folder with one member. Whatever else is written into that folder, or in its place, keeps
/// everybody from filling the slot, so the parts of a store have exactly the keys of the format.
enum KeyUse {
    /// Only by a publication.
    case slot
    /// Only by a plain PUT.
    case content
    /// Either way: this is no part of a store, as what a probe writes.
    case free
    /// Not at all: no store has such a key.
    case invalid

    init(_ key: ObjectKey) {
        let names = key.description.split(separator: "/")
        switch names.first {
        case "filesinki": self = names.count == 2 && names.last == "c" ? .slot : .invalid
        case "zones" where names.count == 5 && names[2] == "parts": self = .content
        case "zones", "devices": self = names.count == 5 && names.last == "c" ? .slot : .invalid
        case "packs": self = names.count == 3 ? .content : .invalid
        default: self = .free
        }
    }

    /// Refuses a way of writing that the key does not allow.
    ///
    /// - Throws: ``RequestError``: 428 for a plain PUT of a slot, 400 for what no store has.
    func check(isPublication: Bool) throws(RequestError) {
        switch self {
        case .slot where !isPublication: throw .slotNeedsPublication
        case .content where isPublication, .invalid: throw .badKey
        case .slot, .content, .free: return
        }
    }
}

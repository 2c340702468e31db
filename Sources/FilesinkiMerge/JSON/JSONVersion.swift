/// Which of the three versions.
enum JSONVersion: Int, CaseIterable {
    case base, here, there

    /// The side that is not this one.
    var other: JSONVersion { self == .here ? .there : .here }
}

/// The same value, member or element in each version; nil where it is not there.
struct JSONTrio: Hashable {
    var base: Int?
    var here: Int?
    var there: Int?

    subscript(version: JSONVersion) -> Int? {
        get {
            switch version {
            case .base: base
            case .here: here
            case .there: there
            }
        }
        set {
            switch version {
            case .base: base = newValue
            case .here: here = newValue
            case .there: there = newValue
            }
        }
    }
}

/// iCalendar or vCard: components between `BEGIN` and `END`, and properties in content lines.
///
/// A component is an item, and so is a property; its parameters are part of its value.
/// Sources: RFC 5545 and RFC 6350; vCalendar 1.0 and vCard 2.1 of the Versit Consortium.
struct ContentLineFormat: SyntaxFormat {
    let dialect: ContentLineDialect

    var name: String { dialect.rawValue }
    let repeats = RepeatedNames.override

    /// Programs write these at every change; the greater value stays.
    let fields = ContentLineDialect.stamps.map {
        FieldRule(pattern: FieldPattern(["**", $0]), resolution: .max)
    }

    func read(_ bytes: [UInt8]) -> SyntaxTree? {
        guard bytes.count <= SyntaxLimits.size else { return nil }
        var reader = ContentLineReader(bytes, dialect)
        return reader.document()
    }

    func reasonOfRefusal(_ bytes: [UInt8]) -> String {
        guard bytes.count <= SyntaxLimits.size else { return "" }
        var reader = ContentLineReader(bytes, dialect)
        return reader.document() == nil ? reader.reasonOfRefusal : ""
    }

    func aligned(_ trees: MergeTrio<SyntaxTree>) -> MergeTrio<SyntaxTree> {
        guard dialect == .card else { return trees }
        var groups = CardGroups(trees, self)
        return groups.separated()
    }

    func conflicts(_ trees: MergeTrio<SyntaxTree>) -> [MergeConflict] {
        var check = ComponentCheck(trees, dialect)
        check.check(trees.map(\.root))
        return check.conflicts
    }
}

/// The formats of content lines, by the words that messages use.
enum ContentLineDialect: String, CaseIterable {
    case calendar = "iCalendar"
    case card = "vCard"

    /// The type of the components that a document consists of.
    var outermost: String { self == .calendar ? "VCALENDAR" : "VCARD" }

    /// What says when, how often and by which program a component was changed.
    static let stamps = ["DTSTAMP", "LAST-MODIFIED", "REV", "SEQUENCE", "PRODID"]

    /// What distinguishes properties of one name.
    enum Identity {
        /// The name; the value where a component has several of the name.
        case name
        /// The value without parameters.
        case value
        /// The value without parameters, in lower case.
        case address
        /// The parameters. The values between commas are merged as a set.
        case list
        /// The value without parameters; as a list where there are several between commas.
        case dates
    }

    func identity(of name: some Sequence<UInt8>) -> Identity {
        identities[String(decoding: Array(name), as: UTF8.self)] ?? .name
    }

    private var identities: [String: Identity] {
        self == .calendar ? Self.calendarIdentities : Self.cardIdentities
    }

    private static let calendarIdentities: [String: Identity] = [
        "ATTENDEE": .address, "CATEGORIES": .list, "RESOURCES": .list, "FREEBUSY": .list,
        "EXDATE": .dates, "RDATE": .dates, "ATTACH": .value, "COMMENT": .value,
        "CONFERENCE": .value, "CONTACT": .value, "IMAGE": .value, "RELATED-TO": .value,
        "REQUEST-STATUS": .value,
    ]

    private static let cardIdentities: [String: Identity] = [
        "CATEGORIES": .list, "NICKNAME": .list, "ADR": .value, "CALADRURI": .value,
        "CALURI": .value, "CLIENTPIDMAP": .value, "EMAIL": .value, "FBURL": .value,
        "IMPP": .value, "KEY": .value, "LABEL": .value, "LANG": .value, "MEMBER": .value,
        "RELATED": .value, "SOURCE": .value, "TEL": .value, "URL": .value,
        "X-SOCIALPROFILE": .value,
    ]

    /// When something takes place; what refers to single occurrences depends on it.
    static let times = [
        "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "EXRULE",
        "X-MICROSOFT-CDO-ALLDAYEVENT", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT",
    ]

    /// Which single occurrences there are, or what is at which time.
    static let occurrences = ["EXDATE", "RDATE", "FREEBUSY"]

    /// Names of properties that say one thing together, so that one side's and the other side's do not go together.
    var groups: [[String]] {
        switch self {
        case .calendar:
            [
                Self.times, ["ACTION", "TRIGGER", "DURATION", "REPEAT"],
                ["STATUS", "COMPLETED", "PERCENT-COMPLETE"],
                ["LOCATION", "GEO", "X-APPLE-STRUCTURED-LOCATION"], ["DESCRIPTION", "X-ALT-DESC"],
            ]
        case .card: [["N", "FN", "SORT-STRING", "X-PHONETIC-FIRST-NAME", "X-PHONETIC-LAST-NAME"]]
        }
    }
}

/// How an element of a part is merged that both sides changed.
enum ElementRule: Sendable {
    /// As one value, on which both sides must agree.
    case whole
    /// As one value without what is computed anew at each save.
    case wholeBesides(ComputedFields)
    /// What programs write by themselves at each save: that of the version that was saved last.
    case latest
    /// What programs write by themselves and do not need: it is left out.
    case leftOut
    /// Its children by their keys.
    case keyed(KeyedChildren)
    /// Its children as a sequence of blocks, such as paragraphs.
    case blocks(BlockRule)
    /// All children that any side has; those of one key are the same.
    case union(@Sendable (XMLPart, Int) -> [UInt8]?)
}

/// What distinguishes the children of an element, and how each is merged.
struct KeyedChildren: Sendable {
    /// nil for a child that cannot be distinguished.
    let key: @Sendable (XMLPart, Int) -> [UInt8]?
    /// The rule of a child by its name.
    let rule: @Sendable (XMLPart, Int) -> ElementRule
    /// Whether the children have an order that a schema prescribes, so that only one side can add some.
    var isOrdered = false
    /// Whether blocks are below it, of which it is asked who changed them even where one side changed anything.
    var leadsToBlocks = false
    /// The number that a child is sorted by, from its key; nil where the order is that of the versions.
    var number: (@Sendable ([UInt8]) -> Int)?
    /// Attributes of the element that are left out if both sides changed them.
    var optionalAttributes: [String] = []
}

extension KeyedChildren {
    /// The children in the order that the format prescribes.
    func sorted(_ children: [Int], _ keys: [[UInt8]]) -> [Int] {
        guard let number else { return children }
        return children.sorted { number(keys[$0]) < number(keys[$1]) }
    }
}

/// Elements that show what a program computes at each save, such as the time. Their values are not compared.
struct ComputedFields: Sendable {
    /// Whether an element is such a field; its text is the value.
    let isField: @Sendable (XMLPart, Int) -> Bool
    /// The attributes of a field that have the value, too.
    let attributes: Set<[UInt8]>

    static let none = ComputedFields(isField: { _, _ in false }, attributes: [])

    /// An element with all in it but the values.
    func text(_ part: XMLPart, _ element: Int) -> [UInt8] {
        part.text(
            element, edit: { isValue($1, part, $0) ? .remove : .keep },
            isEmptied: { isField(part, $0) })
    }

    /// Whether an attribute has the value of a field.
    func isValue(_ attribute: XMLPart.Attribute, _ part: XMLPart, _ element: Int) -> Bool {
        attributes.contains(Array(attribute.name)) && isField(part, element)
    }
}

/// What is the same block on both sides.
struct BlockRule: Sendable {
    var fields = ComputedFields.none
    /// The elements that are not compared: programs put them where pages end, or words are unknown.
    var ignoredElements: [String] = []
    /// The attribute of an element of a part that is not compared; an empty name for none.
    var ignoredAttribute: @Sendable (XMLPart) -> (element: String, attribute: String) = { _ in
        ("", "")
    }

    /// What each of some blocks says.
    func keys(_ part: XMLPart, _ blocks: [Int]) -> [[UInt8]] {
        let ignored = ignoredAttribute(part)
        return blocks.map { block in
            part.text(block) { element in
                ignoredElements.contains { part.isNamed(element, $0) }
            } edit: { element, attribute in
                let isIgnored =
                    attribute.isNamed(ignored.attribute) && part.isNamed(element, ignored.element)
                return isIgnored || fields.isValue(attribute, part, element) ? .remove : .keep
            } isEmptied: { element in
                fields.isField(part, element)
            }
        }
    }
}

extension ElementRule {
    /// Whether blocks are in the element, so that it is entered even where only one side changed it.
    var leadsToBlocks: Bool {
        switch self {
        case .blocks: true
        case .keyed(let rule): rule.leadsToBlocks
        case .whole, .wholeBesides, .latest, .leftOut, .union: false
        }
    }

    /// Children by their names, each by its rule, `whole` where none is given.
    static func byName(
        _ rules: [String: ElementRule] = [:], isOrdered: Bool = false, leadsToBlocks: Bool = false
    ) -> ElementRule {
        .keyed(
            KeyedChildren(
                key: { part, child in Array(part.name(child)) },
                rule: { part, child in
                    rules[String(decoding: part.name(child), as: UTF8.self)] ?? .whole
                }, isOrdered: isOrdered, leadsToBlocks: leadsToBlocks))
    }

    /// Children by an attribute, each as a whole.
    static func byAttribute(_ name: String) -> ElementRule {
        .keyed(
            KeyedChildren(
                key: { part, child in
                    part.attribute(name, of: child).map { part.name(child) + [0] + $0 }.map(
                        Array.init)
                }, rule: { _, _ in .whole }))
    }

    /// Children by their names, of which some are written at each save.
    static func byName(latest names: [String], isOrdered: Bool = false) -> ElementRule {
        byName(
            Dictionary(names.map { ($0, ElementRule.latest) }, uniquingKeysWith: { one, _ in one }),
            isOrdered: isOrdered)
    }
}

/// What identifies elements of one name that neither a common member nor their neighbours identify: of each the first
/// member that it has of several, such as the address of a feed, or the text of a folder.
struct LateIdentities {
    /// Of each element of each version: one number for one identity.
    private let keys: [[Int]]

    /// - Returns: nil where an element has no identity, or two of a version have the same one.
    init?(_ matcher: ItemMatcher, _ lists: [[SyntaxItem]]) {
        guard let first = lists.joined().first,
            let tree = MergeVersion.allCases.lazy.compactMap({ version in
                lists[version.rawValue].isEmpty ? nil : matcher.trees[version]
            }).first
        else { return nil }
        let members = matcher.format.lateIdentities(tree.slice(first.key))
        guard !members.isEmpty else { return nil }
        var numbers = ByteNumbers(capacity: lists[1].count)
        var keys: [[Int]] = []
        for (version, items) in zip(MergeVersion.allCases, lists) {
            let found = items.compactMap { item in
                Self.key(of: item, matcher, members, version).map { numbers.number(of: $0) }
            }
            guard found.count == items.count, Set(found).count == found.count else { return nil }
            keys.append(found)
        }
        self.keys = keys
    }

    private static func key(
        of item: SyntaxItem, _ matcher: ItemMatcher, _ members: [[UInt8]], _ version: MergeVersion
    ) -> [UInt8]? {
        for (place, member) in members.enumerated() {
            if let value = matcher.identity(item, .member(member), version) {
                return [UInt8(place)] + value
            }
        }
        return nil
    }

    /// Whether two sides have an element that these numbers take for two.
    func isSplit(by numbers: [[Int]]) -> Bool {
        let known = zip(keys, numbers).map { keys, numbers in
            Dictionary(zip(keys, numbers), uniquingKeysWith: { one, _ in one })
        }
        return known[1].contains { key, number in known[2][key].map { $0 != number } ?? false }
    }

    /// The numbers of the elements; nil where both sides removed some and both added others, which can be the same with
    /// another address or text.
    var numbers: [[Int]]? {
        let sets = keys.map(Set.init)
        let added = [1, 2].map { sets[$0].subtracting(sets[0]) }
        let isReplaced = !sets[0].subtracting(sets[1]).subtracting(sets[2]).isEmpty
        return isReplaced && !added[0].isEmpty && !added[1].isEmpty && added[0] != added[1]
            ? nil : keys
    }
}

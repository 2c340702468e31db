import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("Predicates as text")
struct PredicateRoundTripTests {
    private var random = SeededRandom(seed: 11)

    private static let names = [
        "title", "count", "no", "in", "date", "location", "x9_", "now", "self",
    ]
    private static let words = ["", "a", "B c", "it's", "\\", "\n\t", "é", "\"", "*?", "{", "%"]

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func key() -> QueryKey {
        random.chance(0.2)
            ? .system(pick(SystemField.allCases)) : .field(field(pick(Self.names)))
    }

    private mutating func literal() -> QueryLiteral {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .now
        case 1: .value(.integer(pick([.min, -1, 0, .max])))
        case 2: .value(.double(pick([0, -0.0, 0.1, -1e300, .leastNonzeroMagnitude, 3])))
        case 3: .value(.date(milliseconds: pick([0, -1, 1_714_555_800_250])))
        case 4: .value(.data(random.bytes(Int.random(in: 0...4, using: &random))))
        case 5: .value(location(pick([0, -90, 52.5]), pick([0, 180, -13.25])))
        case 6: .value(reference(pick(["a", "it's", "b,c"])))
        default: .value(.string(pick(Self.words)))
        }
    }

    private mutating func randomTest() -> QueryTest {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .between(literal(), literal())
        case 1: .among((0..<Int.random(in: 0...3, using: &random)).map { _ in literal() })
        case 2: .beginsWith(pick(Self.words))
        case 3: .endsWith(pick(Self.words))
        case 4: .like(pick(Self.words))
        default: .compare(pick(QueryOperator.allCases), literal())
        }
    }

    private mutating func predicate(_ depth: Int) -> Predicate {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .constant(random.chance(0.5))
        case 1: return .test(key(), randomTest(), isAny: random.chance(0.3))
        case 2: return .contains(key(), literal())
        case 3: return .tokens(pick(["a", "it's b", "é\n1"]), isAny: random.chance(0.5))
        case 4:
            guard case .value(.location(let place)) = QueryLiteral.value(location(1, -2)) else {
                return .constant(true)
            }
            return .distance(
                QueryDistance(key: key(), place: place),
                pick([.less, .lessOrEqual, .greater, .greaterOrEqual]),
                metres: pick([0, 0.5, 1e20]))
        case 5: return .not(predicate(depth - 1))
        case 6:
            return .and(
                (0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) })
        default:
            return .or(
                (0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth - 1) })
        }
    }

    @Test mutating func `a predicate that is printed is read as the same predicate`() throws {
        for _ in 0..<1_500 {
            let predicate = predicate(4)
            let text = predicate.description
            #expect(try PredicateParser.parse(text) == predicate, "\(text)")
        }
    }

    @Test mutating func `negation, and the laws of De Morgan`() {
        for _ in 0..<500 {
            let (one, other) = (predicate(2), predicate(2))
            for record in QueryWorld.records {
                let (left, right) = (
                    one.matches(record, now: QueryWorld.now),
                    other.matches(record, now: QueryWorld.now)
                )
                func holds(_ predicate: Predicate) -> Bool {
                    predicate.matches(record, now: QueryWorld.now)
                }
                #expect(holds(.not(one)) == !left)
                #expect(holds(.and([one, other])) == (left && right))
                #expect(holds(.or([one, other])) == (left || right))
                #expect(holds(.not(.and([one, other]))) == holds(.or([.not(one), .not(other)])))
            }
        }
    }
}

import FilesinkiModel
import FilesinkiTesting
import FilesinkiText
import Testing

@testable import FilesinkiRecords

/// Mutated input is read, and then says the same when it is written and read again; or it is refused.
@Suite("Readers of records and mutated input")
struct FuzzTests {
    @Test func `a record that is read encodes to the same bytes`() {
        let corpus =
            Samples.values.map { RecordCoder.encode(record("a", "Note", ["f": $0])) }
            + [RecordCoder.encode(Samples.record)] + RecordCoderTests.hostile.map(\.bytes)
        let counts = Fuzz(corpus).run { bytes in
            guard let record = RecordCoder.decode(bytes) else { return false }
            #expect(RecordCoder.encode(record) == bytes)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `JSON that is read is written and read again as the same fields`() throws {
        let corpus =
            Samples.values.map { RecordJSON.object(record("a", "Note", ["f": $0])).bytes }
            + RecordJSONTests.rows.map { Array("{\"fields\":{\($0.fields)}}".utf8) }
        let counts = try Fuzz(corpus).run { bytes in
            let input: RecordInput
            do throws(Failure) {
                input = try RecordInput(parsing: bytes) { _, name in RecordJSONTests.known[name] }
            } catch {
                #expect(error.code == .usage)
                return false
            }
            var again = record("a")
            for (name, input) in input.fields {
                if case .value(let value) = input { try again.set(name, Field(value, stamp(1))) }
            }
            let read = try RecordInput(parsing: RecordJSON.object(again).bytes) { _, _ in nil }
            let values = input.fields.filter { if case .value = $0.value { true } else { false } }
            #expect(read.fields == values)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `a predicate that is read is printed and read again as the same one`() throws {
        let corpus = (PredicateTests.strict + PredicateTests.beyond).map(\.predicate)
        let pieces = ["AND", "NOT", "(", "{", "'", "\\", "#", "BETWEEN", "-", "1e999", "NOW"]
        let counts = try Fuzz(corpus.map { Array($0.utf8) }, pieces: pieces.map { Array($0.utf8) })
            .run { bytes in
                let predicate: Predicate
                do throws(Failure) {
                    predicate = try PredicateParser.parse(String(decoding: bytes, as: UTF8.self))
                } catch {
                    #expect(error.code == .usage)
                    return false
                }
                let again = try PredicateParser.parse(predicate.description)
                #expect(again == predicate)
                return true
            }
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `a schema that is read is written and read again as the same one`() throws {
        let corpus = [SchemaTests.text, "# one\n\n  Note.b  list\t# a list\r\nNote.a int\n"]
        let counts = try Fuzz(corpus.map { Array($0.utf8) }).run { bytes in
            let schema: Schema
            do throws(Failure) {
                schema = try SchemaText.decode(String(decoding: bytes, as: UTF8.self))
            } catch {
                #expect(error.code == .usage)
                return false
            }
            let again = try SchemaText.decode(SchemaText.encode(schema))
            #expect(again == schema)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `an argument that is read is of its type, or is refused`() {
        // Mutations seldom make a type that is not the known one.
        let contradictions = [
            "count:string=7", "count:double=7", "count:int-list=7", "when:string=now",
            "when:int=7", "tags:string=a", "tags:int-list=1,2",
        ]
        let corpus = FieldArgumentTests.rows.map(\.argument) + contradictions
        let counts = Fuzz(corpus.map { Array($0.utf8) }).run { bytes in
            do throws(Failure) {
                let found = try FieldArgumentTests.parse(String(decoding: bytes, as: UTF8.self))
                if let known = FieldArgumentTests.known[found.name], let type = found.input.type {
                    #expect(type == known)
                }
                return true
            } catch {
                #expect(error.code == .usage)
                return false
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }
}

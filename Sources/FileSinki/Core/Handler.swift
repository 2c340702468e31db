import FilesinkiEngine
import FoundationEssentials
import Synchronization

/// What a program is asked about a file of its own.
struct Question: Sendable {
    var base: [UInt8]?
    var here: [UInt8]
    /// Nil when another device deleted the file.
    var there: [UInt8]?
    /// Whether the program loads the file; else it saves it.
    var isLoading: Bool
}

/// How a program resolves the divergences of one file or folder: the file's type, without its name.
struct Handler: Sendable {
    var ask: @Sendable (Question, Reply) -> Void
}

extension Handler {
    /// Resolves by the type's own methods.
    static func typed<Value: FileSyncable>(_ type: Value.Type, _ form: FileForm) -> Handler {
        Handler { question, reply in
            TypedQuestion<Value>(question, form)?.ask(reply)
                ?? reply.give(.declined("A content is not a \(Value.self)."))
        }
    }

    /// Resolves by a closure that merges bytes; nil for the chain of rules.
    static func bytes(
        _ form: FileForm, _ merge: (@Sendable ([UInt8], [UInt8], [UInt8]?, Reply) -> Void)?
    ) -> Handler {
        Handler { question, reply in
            guard let there = question.there else {
                // A deletion takes what it had seen; an edit stays.
                return reply.give(question.base == question.here ? .theirs : .ours)
            }
            guard let merge, let left = form.decode(question.here), let right = form.decode(there)
            else { return reply.give(.declined("No merge is set for the file.")) }
            merge(left, right, question.base.flatMap(form.decode), reply)
        }
    }
}

/// A ``Question`` whose contents are decoded.
private struct TypedQuestion<Value: FileSyncable> {
    let base: Value?
    let here: Value
    let there: Value?
    let isLoading: Bool
    let question: Question
    let form: FileForm

    /// Nil when a side cannot be decoded.
    init?(_ question: Question, _ form: FileForm) {
        guard let here: Value = form.value(question.here) else { return nil }
        self.question = question
        self.form = form
        self.here = here
        isLoading = question.isLoading
        base = question.base.flatMap { form.value($0) }
        there = question.there.flatMap { form.value($0) }
        if question.there != nil, there == nil { return nil }
    }

    func ask(_ reply: Reply) {
        guard let there else { return askAboutDeletion(reply) }
        if here == there { return reply.give(.theirs) }
        guard let mergable = here as? any FileMergable else { return chooseOne(there, reply) }
        merge(mergable, there, reply)
    }

    private func askAboutDeletion(_ reply: Reply) {
        guard let base else {
            return reply.give(.declined("The deleted content is no longer available."))
        }
        Value.interactiveShouldDelete(local: here, remoteDeleted: base) { isToGo in
            reply.give(isToGo ? .theirs : .ours)
        }
    }

    private func merge<Mergable: FileMergable>(
        _ here: Mergable, _ there: Value, _ reply: Reply
    ) {
        guard let other = there as? Mergable else { return chooseOne(there, reply) }
        let content = question.base.flatMap(form.decode)
        let asked = Passed(self)
        let theirs = Passed(there)
        // A program that drops the closure has not merged.
        let fallback = Fallback { asked.value.chooseOne(theirs.value, reply) }
        MergeBase.$content.withValue(content) {
            here.mergeAsync(with: other) { merged in
                guard let merged, let value = merged as? Value else { return fallback.callOnce() }
                fallback.forget()
                asked.value.give(value, theirs.value, reply)
            }
        }
    }

    private func chooseOne(_ there: Value, _ reply: Reply) {
        let (first, second) = isLoading ? (there, here) : (here, there)
        let asked = Passed(self)
        let theirs = Passed(there)
        first.shouldOverwriteAsync(other: second) { kept in
            asked.value.give(kept, theirs.value, reply)
        }
    }

    private func give(_ value: Value, _ there: Value, _ reply: Reply) {
        if value == there { return reply.give(.theirs) }
        if value == here { return reply.give(.ours) }
        guard let bytes = try? ValueCoder.encode(value, ""), let file = try? form.encode(bytes)
        else { return reply.give(.declined("The merged value cannot be written.")) }
        reply.give(.merged(file))
    }
}

/// A closure that is called once: when it is asked for, or when its last reference goes.
private final class Fallback: Sendable {
    private let body: Box<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Box(body) }

    deinit { callOnce() }

    func callOnce() { body.take()?() }

    func forget() { _ = body.take() }
}

/// A value behind a lock.
final class Box<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// Returns the value and sets it to nil.
    func take<Wrapped>() -> Value where Value == Wrapped? {
        storage.withLock { value in
            defer { value = nil }
            return value
        }
    }
}

/// A value of the program that crosses threads of this library without being used on them.
struct Passed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

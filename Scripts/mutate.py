#!/usr/bin/env python3
"""Counts which small errors in the sources of a module its tests detect.

mutate.py --module NAME,... [--sample N] [--seed S] [--tests TARGET,...] [--filter REGEX] [--survivors] [--seconds N] [--jobs N] [--scratch FOLDER]

A mutant is one small error: an operator exchanged, a condition negated, a constant changed, a call left out. N of the
possible mutants of each module are chosen by the seed. All of them are compiled into one copy of the project, each
behind a switch that an environment variable sets, so that one build serves all. Mutants that do not compile are dropped.

Each test first runs alone, without a mutant, and the mutants that it reaches are recorded. Then for each mutant only
those tests run that reach it, and the process is ended at the first failure. A mutant is "killed" if a test fails or
the process crashes, "hung" if the tests do not end in time, else it "survived"; "unreached" survivors are in code that
no test runs.

The tests of a module are those of NAMETests, and of the targets that --tests lists; with --filter those of them whose
name it matches. The report says how many the module's own tests kill, and how many these and the others do. With
--seconds only the quickest tests that reach a mutant run, as many as take so long together: a bound for a mutant that
hundreds of tests reach; what slower tests would kill then counts as survived. --survivors runs again what survived
the last time with the same seed, after tests were added; a mutant whose line has changed since is reported as gone. A
module without results is sampled. Which mutants a seed chooses depends on the sources.

The working tree is not touched. The copy and the results, MODULE.json or MODULE-SEED.json, are in FOLDER
(.build/mutants); the next build there is faster. A mutant runs with the rights of the caller, and may delete what it should not: use a container, or a
machine that holds nothing of value.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

SWITCH, REACHED = "FILESINKI_MUTANT", "FILESINKI_MUTANTS_REACHED"

# Each operator, what it is exchanged for, its precedence group, and the protocol of its operands.
OPERATORS = {
    "==": ("!=", "Comparison", "Equatable"), "!=": ("==", "Comparison", "Equatable"),
    "<": ("<=", "Comparison", "Comparable"), "<=": ("<", "Comparison", "Comparable"),
    ">": (">=", "Comparison", "Comparable"), ">=": (">", "Comparison", "Comparable"),
    "&&": ("||", "LogicalConjunction", "Bool"), "||": ("&&", "LogicalDisjunction", "Bool"),
    "+": ("-", "Addition", "AdditiveArithmetic"), "-": ("+", "Addition", "AdditiveArithmetic"),
    "&+": ("&-", "Addition", "FixedWidthInteger"), "&-": ("&+", "Addition", "FixedWidthInteger"),
    "|": ("&", "Addition", "BinaryInteger"), "^": ("|", "Addition", "BinaryInteger"),
    "*": ("/", "Multiplication", "BinaryInteger"), "/": ("*", "Multiplication", "BinaryInteger"),
    "%": ("/", "Multiplication", "BinaryInteger"), "&": ("|", "Multiplication", "BinaryInteger"),
    "<<": (">>", "BitwiseShift", "BinaryInteger"), ">>": ("<<", "BitwiseShift", "BinaryInteger"),
    "+=": ("-=", "Assignment", "AdditiveArithmetic"), "-=": ("+=", "Assignment", "AdditiveArithmetic"),
}
OPERATOR = re.compile(r"(?<=[\w)\]?!\"}]) (" + "|".join(re.escape(o) for o in sorted(OPERATORS, key=len, reverse=True))
                      + r") (?=\S)|^[ \t]+(==|!=|&&|\|\||\+|-|<=|>=|<|>|\|) (?=\S)", re.M)
CONDITION = re.compile(r"(?:^|(?<=[\s}]))(if|guard|while)\s+(?=\S)")
WHERE = re.compile(r"^\s*for\b[^\n{]*\bwhere\s+(?=\S)", re.M)
NUMBER = re.compile(r"(?<![\w$\"])(?<!\w\.)(?<!\)\.)(?<!\?\.)(?<!\]\.)(\d[\d_]*)(?![\w\"]|\.\d)")
TRUTH = re.compile(r"(?<![\w.])(true|false)\b")
CALL = re.compile(r"^[ \t]+(?P<call>(?:_ = )?(?:try[?]? )?(?:await )?(?P<name>(?:self\.)?[a-z_]\w*(?:[?!]?\.\w+)*)\()", re.M)

# Lines whose mutants no program can tell from the original, or that only cost time, or that only word a message.
SKIPPED = re.compile(r"reserveCapacity|[Pp]rogress|withTaskCancel|checkCancellation|Task\.yield|\bassert|\bprecondition"
                     r"|^\s*(@\w+\s+)*(package |private |public |internal )*import |^\s*#|^\s*@available|\bprecedence"
                     r"|\boperator\b|\bhash\(into|hasher\.|^\s*case [\w, ]*= |Logger|\.logger|log\.(debug|info)")
# Sizes of pages, batches and buffers, which only cost time.
SIZES = re.compile(r"\bstatic (let|var) (page|\w*(Page|[bB]atch|[tT]argetSize|[rR]eadSize|pieceLength|standardLength|PerJoin"
                   r"|PerAcknowledgement|retryInterval|maximumBatch))\b|[cC]apacity:")
# Declarations of texts.
TEXTS = re.compile(r"\b(var|func) (description|debugDescription|words|message|remedy)\b[^{\n]*\{")
NO_STATEMENT = ("if", "guard", "while", "for", "switch", "return", "throw", "init", "self.init", "super.init", "fatalError",
                "defer", "catch", "case", "precondition", "assert", "in", "is", "as", "func", "let", "var", "else")


def mask(text):
    """The text with blanks for comments, and an x for each character within a string; nothing moves."""
    out, end = list(text), len(text)

    def blank(start, stop, fill=" "):
        for place in range(start, min(stop, end)):
            if out[place] != "\n":
                out[place] = fill

    def string(at):
        hashes = 0
        while text[at + hashes] == "#":
            hashes += 1
        quote = '"""' if text.startswith('"""', at + hashes) else '"'
        place = at + hashes + len(quote)
        closing, escape = quote + "#" * hashes, "\\" + "#" * hashes
        start = place
        while place < end and not text.startswith(closing, place):
            if text.startswith(escape + "(", place):
                place = parenthesis(place + len(escape))
            elif text.startswith(escape, place):
                place += len(escape) + 1
            else:
                place += 1
        blank(start, place, "x")
        return place + len(closing)

    def parenthesis(at):
        depth, place = 0, at
        while place < end:
            if text[place] == '"':
                place = string(place)
                continue
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
            if depth == 0:
                break
        return place

    place = 0
    while place < end:
        if text.startswith("//", place):
            stop = text.find("\n", place)
            stop = end if stop < 0 else stop
            blank(place, stop)
            place = stop
        elif text.startswith("/*", place):
            stop = text.find("*/", place) + 2
            blank(place, stop)
            place = stop
        elif text[place] == '"' or re.match(r'#+"', text[place:place + 4]):
            place = string(place)
        else:
            place += 1
    return "".join(out)


def closing(code, at):
    """The place after the bracket that closes the one at a place."""
    depth = 0
    for place in range(at, len(code)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place + 1
    return len(code)


def clauses(code, at, word):
    """The clauses of a condition that begins at a place, as spans."""
    depth, start, place = 0, at, at
    while place < len(code):
        letter = code[place]
        if depth == 0 and (letter == "{" or (word == "guard" and re.match(r"\belse\b", code[place:])
                                             and code[place - 1].isspace())):
            yield start, place
            return
        if depth == 0 and letter == ",":
            yield start, place
            start = place + 1
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if depth < 0:
            return
        place += 1


class Mutant:
    def __init__(self, path, text, kind, start, stop, before, after):
        self.module = path.split("/")[1]
        self.path, self.kind, self.start, self.stop, self.before, self.after = path, kind, start, stop, before, after
        self.line = text.count("\n", 0, start) + 1
        self.last_line = text.count("\n", 0, stop) + 1
        head = text.rfind("\n", 0, start) + 1
        tail = text.find("\n", stop)
        whole = text[head:tail if tail >= 0 else len(text)]
        self.text = " ".join(whole.split())
        self.number, self.state, self.by, self.is_own = 0, None, None, False
        # What finds the mutant again after lines above it have moved.
        self.key = [path, self.text, kind, before, start - head - (len(whole) - len(whole.lstrip()))]

    def __str__(self):
        change = f"{' '.join(self.before.split())} -> {self.after}"
        return f"{self.path}:{self.line}: {self.kind}: {change}   in: {self.text}"

    def record(self):
        return {"key": self.key, "line": self.line, "after": self.after, "state": self.state, "by": self.by,
                "own": self.is_own}

    def insertions(self):
        """What is written into the source: (place, order at this place, text)."""
        size, number = self.stop - self.start, self.number
        if self.kind == "operator":
            return [(self.stop, (0, 0), marks(number))]
        if self.kind == "call":
            head, tail = f"if !Mutant.isActive({number}) {{ ", " }"
        elif self.kind == "condition":
            head, tail = f"Mutant.flip({number}, ", ")"
        else:
            head, tail = f"Mutant.{'flip' if self.before in ('true', 'false') else 'next'}({number}, ", ")"
        return [(self.start, (1, -size), head), (self.stop, (0, size), tail)]


def marks(number):
    """The number as characters that an operator's name may have."""
    return "".join("∘" if bit == "1" else "∙" for bit in f"{number:b}")


def skipped(code):
    """For each line, whether it is left out."""
    lines = code.split("\n")
    out = [bool(SKIPPED.search(line)) for line in lines]
    for found in TEXTS.finditer(code):
        first = code.count("\n", 0, found.start())
        last = code.count("\n", 0, closing(code, found.end() - 1))
        for line in range(first, last + 1):
            out[line] = True
    return out


def places(path, text):
    """All mutants of a file."""
    code = mask(text)
    left_out = skipped(code)
    for kind, start, stop, after in candidates(code):
        if not left_out[code.count("\n", 0, start)]:
            yield Mutant(path, text, kind, start, stop, text[start:stop], after)


def candidates(code):
    for found in OPERATOR.finditer(code):
        group = 1 if found[1] else 2
        around = code[found.start() - 5:found.start()], code[found.end():found.end() + 4]
        if re.search(r"\bnil$", around[0]) or re.match(r"nil\b", around[1]) or re.search(r"\bfunc$", around[0]):
            continue
        yield "operator", found.start(group), found.end(group), OPERATORS[found[group]][0]
    for found in CONDITION.finditer(code):
        for start, stop in clauses(code, found.end(), found[1]):
            yield from condition(code, start, stop)
    for found in WHERE.finditer(code):
        stop = code.find("{", found.end())
        yield from condition(code, found.end(), stop)
    for found in NUMBER.finditer(code):
        line = code[code.rfind("\n", 0, found.start()) + 1:found.start()]
        if not re.search(r"\bcase\b", line) and not SIZES.search(line):
            yield "constant", found.start(1), found.end(1), str(int(found[1].replace("_", "")) + 1)
    for found in TRUTH.finditer(code):
        line = code[code.rfind("\n", 0, found.start()) + 1:found.start()]
        if not re.search(r"\bcase\b", line):
            yield "constant", found.start(1), found.end(1), {"true": "false", "false": "true"}[found[1]]
    for found in CALL.finditer(code):
        stop = closing(code, found.end() - 1)
        names = {found["name"], found["name"].split(".")[0]}
        if not names & set(NO_STATEMENT) and is_statement(code, found.start(), stop):
            yield "call", found.start("call"), stop, "(removed)"


def condition(code, start, stop):
    while start < stop and code[start].isspace():
        start += 1
    while stop > start and code[stop - 1].isspace():
        stop -= 1
    if re.match(r"(let|var|case|#available)\b", code[start:stop]) or not code[start:stop].strip():
        return
    effects = re.match(r"(?:try\s+)?(?:await\s+)?", code[start:stop])
    start += effects.end()
    if not re.search(r"\b(try|await)\b", code[start:stop]):
        yield "condition", start, stop, "negated"


def is_statement(code, start, stop):
    """Whether a call is a statement by itself, and not the value of its block."""
    before, rest = code[:start].rstrip(), code[stop:]
    line_end = rest.split("\n", 1)[0]
    after = rest.lstrip()
    if line_end.strip() or re.search(r"([,(=?:+\-&|\[]|\b(return|in|else|throw))$", before) and not before.endswith("{"):
        return bool(re.search(r"\bcase\b.*:$|\bdefault:$|\) in$|\b\w+ in$", before.split("\n")[-1])) and not line_end.strip()
    return not re.match(r"[.?:&|+)\]]", after)


def read_module(root, module):
    """The sources of a module by path, and all its mutants."""
    found, sources = [], {}
    for folder, _, names in sorted(os.walk(f"{root}/Sources/{module}")):
        for name in sorted(names):
            if name.endswith(".swift") and not name.endswith(".pb.swift"):
                path = os.path.relpath(f"{folder}/{name}", root)
                with open(f"{folder}/{name}") as file:
                    sources[path] = file.read()
                found += places(path, sources[path])
    return sources, found


def sample(found, count, seed):
    """So many of them; one on a line, so that an error of the compiler names one mutant."""
    found = sorted(found, key=lambda mutant: (mutant.path, mutant.start, mutant.kind))
    random.Random(seed).shuffle(found)
    taken, mutants = set(), []
    for mutant in found:
        if len(mutants) < count and (mutant.path, mutant.line) not in taken:
            taken.add((mutant.path, mutant.line))
            mutants.append(mutant)
    return mutants


RUNTIME_NAME = "MutantSwitch.swift"
RUNTIME = f"""import Glibc

package enum Mutant {{
    static let active = getenv("{SWITCH}").flatMap {{ Int(String(cString: $0)) }} ?? 0

    /// A byte for each mutant in a file that the processes share.
    nonisolated(unsafe) static let reached: UnsafeMutableRawPointer? = {{
        guard let path = getenv("{REACHED}") else {{ return nil }}
        let file = open(path, O_RDWR)
        let table = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        close(file)
        return table == MAP_FAILED ? nil : table
    }}()

    package static func isActive(_ number: Int) -> Bool {{
        reached?.storeBytes(of: 1, toByteOffset: number, as: UInt8.self)
        return number == active
    }}

    package static func flip(_ number: Int, _ value: Bool) -> Bool {{ isActive(number) ? !value : value }}

    package static func next<T: BinaryInteger>(_ number: Int, _ value: T) -> T {{
        isActive(number) ? value + 1 : value
    }}
}}
"""


def operator_source(mutant):
    sign, name = mutant.before, mutant.before + marks(mutant.number)
    other, precedence, operands = OPERATORS[sign]
    active = f"Mutant.isActive({mutant.number})"
    lines = [f"infix operator {name}: {precedence}Precedence"]
    if operands == "Bool":
        lines += [f"package func {name} (left: Bool, right: @autoclosure () throws -> Bool) rethrows -> Bool {{",
                  f"    {active} ? try left {other} right() : try left {sign} right()", "}"]
    elif precedence == "Assignment":
        lines += [f"package func {name} <T: {operands}>(left: inout T, right: T) {{",
                  f"    if {active} {{ left {other} right }} else {{ left {sign} right }}", "}"]
    else:
        result = "Bool" if precedence == "Comparison" else "T"
        lines += [f"package func {name} <T: {operands}>(left: T, right: T) -> {result} {{",
                  f"    {active} ? left {other} right : left {sign} right", "}"]
    if sign == "+":
        lines += [f"package func {name} <T: RangeReplaceableCollection>(left: T, right: T) -> T {{",
                  f"    {active} ? left : left + right", "}"]
    elif sign == "+=":
        lines += [f"package func {name} <T: RangeReplaceableCollection, S: Sequence>(left: inout T, right: S)",
                  "where S.Element == T.Element {", f"    if !{active} {{ left += right }}", "}"]
    return lines


MANIFEST = """
// Only what the chosen tests need.
var needed = Set([TESTS])
var packages: Set<String> = []
var known = -1
while known != needed.count {
    known = needed.count
    for target in package.targets where needed.contains(target.name) {
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): needed.insert(name)
            case .productItem(_, let name, _, _): packages.insert(name ?? "")
            default: break
            }
        }
    }
}
package.targets.removeAll { !needed.contains($0.name) }
package.products.removeAll()
package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !packages.contains { location.hasSuffix("/" + $0) }
}
"""


class Copy:
    """The copy of the project that has the mutants."""

    def __init__(self, root, folder, sources, mutants, tests, jobs):
        self.folder, self.sources, self.mutants, self.jobs = folder, sources, mutants, jobs
        names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True,
                               check=True).stdout.decode().split("\0") + ["Package.resolved"]
        present = {name for name in names if name and os.path.isfile(f"{root}/{name}")}
        for known, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name != ".build"]
            for name in files:
                if os.path.relpath(f"{known}/{name}", folder) not in present:
                    os.remove(f"{known}/{name}")
        mutated = {mutant.path for mutant in mutants} | {"Package.swift"}
        for name in present - mutated:
            with open(f"{root}/{name}", "rb") as file:
                self.put(name, file.read(), os.stat(f"{root}/{name}").st_mode)
        with open(f"{root}/Package.swift") as file:
            text = re.sub(r"\s*\.treatAllWarnings\(as: \.error\),", "", file.read())
        listed = ", ".join(f'"{name}"' for name in tests)
        self.put("Package.swift", (text + MANIFEST.replace("TESTS", listed)).encode())

    def put(self, name, data, mode=0o644):
        """Writes a file that is not there as it should be; the build looks at the times."""
        path = f"{self.folder}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                if file.read() == data:
                    return
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)

    def write(self):
        for module in {path.split("/")[1] for path in self.sources}:
            lines = [line for mutant in self.mutants if mutant.module == module and mutant.kind == "operator"
                     for line in operator_source(mutant)]
            self.put(f"Sources/{module}/{RUNTIME_NAME}", (RUNTIME + "\n" + "\n".join(lines) + "\n").encode())
        self.touched = getattr(self, "touched", set()) | {mutant.path for mutant in self.mutants}
        for path in self.touched:
            text = self.sources[path]
            insertions = [found for mutant in self.mutants if mutant.path == path for found in mutant.insertions()]
            for place, _, words in sorted(insertions, key=lambda found: found[:2], reverse=True):
                text = text[:place] + words + text[place:]
            self.put(path, text.encode())

    def swift(self, *words):
        done = subprocess.run(["swift", *words, "--package-path", self.folder, "-debug-info-format", "none"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def build(self):
        """Builds, and drops the mutants that do not compile."""
        dropped = 0
        while True:
            self.write()
            status, output = self.swift("build", "--build-tests", "--disable-index-store", "-j", str(self.jobs))
            if status == 0:
                self.binary = f"{self.swift('build', '--show-bin-path')[1].split()[-1]}/filesinkiPackageTests.xctest"
                return dropped
            errors = set(re.findall(r"^(/[^:\n]+):(\d+):\d+: error:", output, re.M))
            wrong = {self.nearest(os.path.relpath(path, os.path.realpath(self.folder)), int(line)) for path, line in errors}
            wrong.discard(None)
            if not wrong:
                raise SystemExit("The copy does not build:\n" + output[-5000:])
            for mutant in sorted(wrong, key=lambda mutant: mutant.number):
                print(f"does not compile: {mutant}", flush=True)
            dropped += len(wrong)
            self.mutants = [mutant for mutant in self.mutants if mutant not in wrong]

    def nearest(self, path, line):
        """The mutant that an error is about: the one on its line, or else the last one before it."""
        if os.path.basename(path) == RUNTIME_NAME:
            return None
        here = [mutant for mutant in self.mutants if mutant.path == path]
        return min(here, key=lambda mutant: (mutant.line > line, abs(mutant.line - line)), default=None)


class Tests:
    """Runs tests of the copy's test program."""

    def __init__(self, copy, targets, more, matching, most):
        self.copy, self.more, self.most = copy, more, most
        listed = subprocess.run([copy.binary, "--testing-library", "swift-testing", "--list-tests"], text=True,
                                capture_output=True).stdout.split("\n")
        self.all = [name for name in listed if name.split(".")[0] in targets and re.search(matching, name)]
        self.seconds, self.reaching = {}, {}
        self.words = threading.Lock()

    def run(self, names, mutant, limit, reached=None):
        """Whether the tests pass: (None, None), or (state, what failed)."""
        chosen_tests = "|".join("^" + re.sub(r"[^\w.]", ".", name) for name in names)
        temporary = tempfile.mkdtemp(prefix="filesinki-mutant.")
        environment = dict(os.environ, TMPDIR=temporary, NO_COLOR="1", **{SWITCH: str(mutant)})
        if reached:
            environment[REACHED] = reached
        process = subprocess.Popen([self.copy.binary, "--testing-library", "swift-testing", "--filter", chosen_tests],
                                   env=environment, cwd=self.copy.folder, stdin=subprocess.DEVNULL, text=True,
                                   errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        hung = []
        timer = threading.Timer(limit, lambda: (hung.append(True), self.end(process)))
        timer.start()
        failed = None
        try:
            for line in process.stdout:
                found = re.search("✘.*? Test (.*?)(\\(\\))? (recorded an issue|failed)", line)
                if found and not failed:
                    failed = found[1]
                    self.end(process)
            process.wait()
        finally:
            timer.cancel()
            self.end(process)
            shutil.rmtree(temporary, ignore_errors=True)
        if failed:
            return "killed", failed
        if hung:
            return "hung", None
        return (None, None) if process.returncode == 0 else ("killed", f"status {process.returncode}")

    @staticmethod
    def end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def measure(self, name):
        """Which mutants a test reaches, and how long it takes."""
        with tempfile.NamedTemporaryFile() as table:
            table.truncate(1 << 16)
            start = time.monotonic()
            state, failed = self.run([name], 0, 900, table.name)
            seconds = time.monotonic() - start
            hit = table.read()
        with self.words:
            self.seconds[name] = seconds
            for mutant in self.copy.mutants:
                if hit[mutant.number]:
                    self.reaching.setdefault(mutant.number, []).append(name)
        if state:
            print(f"left out, as it fails without a mutant: {name}: {state} {failed or ''}", flush=True)
            with self.words:
                for names in self.reaching.values():
                    if name in names:
                        names.remove(name)

    def judge(self, mutant):
        reaching = sorted(self.reaching.get(mutant.number, []), key=lambda name: self.seconds[name])
        own = [name for name in reaching if name.split(".")[0] == f"{mutant.module}Tests"]
        others = [name for name in reaching if name.split(".")[0] in self.more and name not in own]
        if not own + others:
            mutant.state = "unreached"
        for names in [own, others]:
            for stage in self.stages(names):
                limit = 15 + 4 * sum(self.seconds[name] for name in stage)
                mutant.state, mutant.by = self.run(stage, mutant.number, limit)
                if mutant.state == "hung":
                    mutant.state, mutant.by = self.run(stage, mutant.number, 2 * limit)
                mutant.is_own = mutant.state is not None and names is own
                if mutant.state:
                    break
            if mutant.state:
                break
        mutant.state = mutant.state or "survived"
        with self.words:
            others = "" if mutant.is_own or not mutant.by else " (of another module)"
            print(f"{mutant.state:9} {mutant}" + (f"   by: {mutant.by}{others}" if mutant.by else ""), flush=True)
        return mutant

    def stages(self, names):
        """The quick ones first: most mutants are killed by them."""
        total, stages = 0.0, [[], []]
        for name in names:
            total += self.seconds[name]
            if stages[0] and self.most and total > self.most:
                break
            stages[0 if total < 3 or not stages[0] else 1].append(name)
        return [stage for stage in stages if stage]


def parsed():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--module", required=True)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default="")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--list", action="store_true", help="print the mutants, and run nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--scratch")
    return parser.parse_args()


def again(found, results):
    """What survived the last time."""
    keys = {tuple(result["key"]): result for result in results if result["state"] in ("survived", "unreached")}
    mutants = [mutant for mutant in found if tuple(mutant.key) in keys]
    for mutant in mutants:
        keys.pop(tuple(mutant.key), None)
    for result in keys.values():
        result["state"] = "gone"
        print(f"gone: {result['key']}")
    return mutants


def main():
    options = parsed()
    root = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True,
                          check=True).stdout.strip()
    scratch = os.path.realpath(options.scratch or f"{root}/.build/mutants")
    modules = options.module.split(",")
    sources, mutants, results = {}, [], {}
    for module in modules:
        of_module, found = read_module(root, module)
        sources |= of_module
        results[module] = []
        if options.survivors and os.path.exists(results_path(scratch, module, options.seed)):
            with open(results_path(scratch, module, options.seed)) as file:
                results[module] = json.load(file)
            mutants += again(found, results[module])
        else:
            mutants += sample(found, options.sample, options.seed)
    for number, mutant in enumerate(mutants):
        mutant.number = number + 1
    if options.list:
        print("\n".join(str(mutant) for mutant in mutants))
        return
    more = [name for name in options.tests.split(",") if name]
    targets = [f"{module}Tests" for module in modules] + more
    copy = Copy(root, f"{scratch}/tree", sources, mutants, targets, options.jobs)
    dropped = copy.build()
    tests = Tests(copy, targets, more, options.filter, options.seconds)
    print(f"{len(copy.mutants)} mutants, {len(tests.all)} tests; {dropped} mutants do not compile", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(tests.measure, tests.all))
        # The modules in turns: a run that is stopped has judged a part of each.
        order = [mutant for turn in itertools.zip_longest(
            *([mutant for mutant in copy.mutants if mutant.module == module] for module in modules))
            for mutant in turn if mutant]
        for done in pool.map(tests.judge, order):
            # After each: a run that is stopped keeps what it has found.
            keep(results_path(scratch, done.module, options.seed), results[done.module], done)
    for module in modules:
        report(module, results[module])


def results_path(scratch, module, seed):
    """Where the results are kept: those of each seed in a file of their own."""
    return f"{scratch}/{module}.json" if seed == 1 else f"{scratch}/{module}-{seed}.json"


def keep(path, results, mutant):
    results[:] = [result for result in results if result["key"] != mutant.key] + [mutant.record()]
    with open(path, "w") as file:
        json.dump(results, file, indent=1)


def report(module, results):
    """What is known of the module: of this run, and of those before it whose survivors were run again."""
    known = [result for result in results if result["state"] != "gone"]
    survivors = [result for result in known if result["state"] in ("survived", "unreached")]
    print(f"\n{module}: {len(survivors)} survivors")
    for result in sorted(survivors, key=lambda result: (result["key"][0], result["line"])):
        path, text, kind, before, _ = result["key"]
        change = f"{' '.join(before.split())} -> {result['after']}"
        print(f"{result['state']:9} {path}:{result['line']}: {kind}: {change}   in: {text}")
    count, hung = max(1, len(known)), sum(result["state"] == "hung" for result in known)
    killed, own = len(known) - len(survivors), sum(result.get("own", False) for result in known)
    print(f"{module}: {killed} of {len(known)} mutants were killed ({hung} hung), {killed / count:.1%}; "
          f"{own} by the module's own tests, {own / count:.1%}")



main()

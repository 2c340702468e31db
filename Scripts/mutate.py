#!/usr/bin/env python3
"""Which small faults in the sources the tests notice.

mutate.py [MODULE...] [--count N] [--seed S] [--tests MODULE,MODULE...] [--limit SECONDS] [--scratch FOLDER]

Chooses N places in the modules by the seed (FilesinkiReconcile if none is named): operators, conditions, constants and
calls whose result nobody uses. All faults go into one build of a copy of the project, each behind a switch that an
environment variable sets; then the tests of the modules run once for each fault, and for the faults that survive the tests of the
modules that --tests names, too. A place where the fault does not compile is left out.

Prints a line for each fault, and at the end the share that was noticed. The working tree is not touched; the copy is in
a temporary folder, or in --scratch, where the next build is faster.

An operator is exchanged for one of its own, of the same precedence, whose name encodes the fault's number; so no
expression has to be parsed.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SWITCH = "FILESINKI_MUTANT"
PRECEDENCE = {"==": "Comparison", "!=": "Comparison", "<": "Comparison", ">": "Comparison", "<=": "Comparison",
              ">=": "Comparison", "&&": "LogicalConjunction", "||": "LogicalDisjunction", "+": "Addition",
              "-": "Addition"}
FAULT = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-",
         "-": "+"}
# Faults that no program can tell from the original, or that only cost time.
SKIPPED = re.compile(r"reserveCapacity|Progress|///|^\s*//|^\s*(package |private |public |internal )*import ")
OPERATOR = re.compile(r" (==|!=|<=|>=|<|>|&&|\|\||\+|-) ")
CONDITION = re.compile(r"^(\s*)(if|guard|while) ([^{},]+?)( else)? \{")
NUMBER = re.compile(r"(?<![\w.\"$])(\d+)(?![\w.\"])")
TRUTH = re.compile(r"(?<![\w.])(true|false)\b")
CALL = re.compile(r"^(\s+)((?:try )?(?:await )?(?:self\.)?[a-z_]\w*(?:\??\.\w+)*\([^\"]*\))\n")


class Fault:
    def __init__(self, number, path, line, column, kind, before, after):
        self.number, self.path, self.line, self.column = number, path, line, column
        self.kind, self.before, self.after = kind, before, after

    def __str__(self):
        return f"{self.path}:{self.line + 1}: {self.kind}: {self.before.strip()} -> {self.after.strip()}"


def marks(number):
    """The number as characters that an operator's name may have."""
    return "".join("∘" if bit == "1" else "∙" for bit in f"{number:b}")


def is_inside_text(line, column):
    return line[:column].count('"') % 2 == 1 or "//" in line[:column]


def places(path, lines):
    """Everything in a file that can be exchanged: (line, column, kind, before, after)."""
    for index, line in enumerate(lines):
        if SKIPPED.search(line) or '"""' in line:
            continue
        for found in OPERATOR.finditer(line):
            if not is_inside_text(line, found.start()) and not re.match(r"\s*nil\b", line[found.end():]):
                yield index, found.start(1), "operator", found[1], FAULT[found[1]]
        found = CONDITION.match(line)
        if found and not re.search(r"\b(let|var|case|try|await|#available)\b|^\s*$", found[3]):
            yield index, found.start(3), "condition", found[3], f"!({found[3]})"
        for found in NUMBER.finditer(line):
            if not is_inside_text(line, found.start()) and not re.search(r"\bcase\b|\$", line[:found.start()]):
                yield index, found.start(1), "constant", found[1], str(int(found[1]) + 1)
        for found in TRUTH.finditer(line):
            if not is_inside_text(line, found.start()) and not re.search(r"\bcase\b", line):
                yield index, found.start(1), "constant", found[1], {"true": "false", "false": "true"}[found[1]]
        found = CALL.match(line)
        if found and ends_statement(lines, index) and found[2].count("(") == found[2].count(")"):
            yield index, found.start(2), "call", found[2], "(removed)"


def ends_statement(lines, index):
    """Whether a line is a statement by itself, and not the value of its block."""
    before, after = lines[index - 1].rstrip(), lines[index + 1].strip()
    if re.search(r"[,(=?:+\-&|]$|\b(return|in)$", before) or re.match(r"[.?:&|+)\]]", after):
        return False
    return not (before.endswith("{") and after == "}") or "func " not in before or "->" not in before


def chosen(root, modules, count, seed):
    found = []
    for module in modules:
        for folder, _, names in sorted(os.walk(f"{root}/Sources/{module}")):
            for name in sorted(names):
                if name.endswith(".swift") and "Generated" not in folder:
                    path = os.path.relpath(f"{folder}/{name}", root)
                    with open(f"{root}/{path}") as file:
                        lines = file.readlines()
                    found += [(path, *place) for place in places(path, lines)]
    random.Random(seed).shuffle(found)
    taken, faults = set(), []
    for path, line, column, kind, before, after in found:
        # One on a line: then an error of the compiler names one fault.
        if len(faults) < count and (path, line) not in taken:
            taken.add((path, line))
            faults.append(Fault(len(faults) + 1, path, line, column, kind, before, after))
    return faults


def mutated(fault, line):
    head, tail = line[:fault.column], line[fault.column + len(fault.before):]
    number, before = fault.number, fault.before
    if fault.kind == "operator":
        return f"{head}{before}{marks(number)}{tail}"
    if fault.kind == "condition":
        return f"{head}Mutant.flip({number}, {before}){tail}"
    if fault.kind == "constant":
        name = "flip" if before in ("true", "false") else "next"
        return f"{head}Mutant.{name}({number}, {before}){tail}"
    return f"{head}if !Mutant.isActive({number}) {{ {before} }}{tail}"


def switch_source(faults):
    lines = ["import Glibc", "", "package enum Mutant {",
             f'    static let active = getenv("{SWITCH}").flatMap {{ Int(String(cString: $0)) }} ?? 0',
             "    package static func isActive(_ number: Int) -> Bool { number == active }",
             "    package static func flip(_ number: Int, _ value: Bool) -> Bool { isActive(number) ? !value : value }",
             "    package static func next<T: BinaryInteger>(_ number: Int, _ value: T) -> T {",
             "        isActive(number) ? value + 1 : value", "    }", "}", ""]
    for fault in faults:
        if fault.kind == "operator":
            lines += operator_source(fault)
    return "\n".join(lines) + "\n"


def operator_source(fault):
    name, sign, other = fault.before + marks(fault.number), fault.before, fault.after
    active = f"Mutant.isActive({fault.number})"
    if sign in ("&&", "||"):
        return [f"infix operator {name}: {PRECEDENCE[sign]}Precedence",
                f"package func {name} (left: Bool, right: @autoclosure () throws -> Bool) rethrows -> Bool {{",
                f"    {active} ? try left {other} right() : try left {sign} right()", "}"]
    bound, result = {"Comparison": ("Equatable" if sign in ("==", "!=") else "Comparable", "Bool"),
                     "Addition": ("AdditiveArithmetic", "T")}[PRECEDENCE[sign]]
    return [f"infix operator {name}: {PRECEDENCE[sign]}Precedence",
            f"package func {name} <T: {bound}>(left: T, right: T) -> {result} {{",
            f"    {active} ? left {other} right : left {sign} right", "}"]


MANIFEST = """
// Only what the tests of the mutated modules need.
for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []).filter { "\\($0)".contains("treatAllWarnings") == false }
}
var needed = Set([TESTS])
var grows = true
while grows {
    let before = needed.count
    for target in package.targets where needed.contains(target.name) {
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): needed.insert(name)
            default: break
            }
        }
    }
    grows = needed.count > before
}
package.targets.removeAll { !needed.contains($0.name) }
package.products.removeAll()
let usesOthers = package.targets.contains { target in
    target.dependencies.contains { if case .productItem = $0 { true } else { false } }
}
if !usesOthers { package.dependencies.removeAll() }
"""


class Copy:
    """The copy of the project that has the faults."""

    def __init__(self, root, folder, faults, tests):
        self.root, self.folder, self.faults = root, folder, faults
        names = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
        for name in names.decode().split("\0"):
            if name and os.path.isfile(f"{root}/{name}"):
                os.makedirs(os.path.dirname(f"{folder}/{name}") or folder, exist_ok=True)
                shutil.copy(f"{root}/{name}", f"{folder}/{name}")
        with open(f"{folder}/Package.swift") as file:
            text = re.sub(r"\s*\.treatAllWarnings\(as: \.error\),", "", file.read())
        with open(f"{folder}/Package.swift", "w") as file:
            file.write(text + MANIFEST.replace("TESTS", ", ".join(f'"{name}"' for name in tests)))

    def write(self):
        with open(f"{self.folder}/Sources/FilesinkiModel/Mutant.swift", "w") as file:
            file.write(switch_source(self.faults))
        by_path = {}
        for fault in self.faults:
            by_path.setdefault(fault.path, []).append(fault)
        self.offsets = {}
        for path in self.paths():
            with open(f"{self.root}/{path}") as file:
                lines = file.readlines()
            for fault in by_path.get(path, []):
                lines[fault.line] = mutated(fault, lines[fault.line])
            if by_path.get(path) and not any(re.match(r".*\bimport FilesinkiModel$", line) for line in lines):
                if "/FilesinkiModel/" not in path:
                    lines[0] = "import FilesinkiModel; " + lines[0]
            with open(f"{self.folder}/{path}", "w") as file:
                file.writelines(lines)

    def paths(self):
        self.touched = getattr(self, "touched", set()) | {fault.path for fault in self.faults}
        return self.touched

    def swift(self, *words, **more):
        return subprocess.run(["swift", *words, "--package-path", self.folder], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **more)

    def build(self):
        """Builds, and leaves out the faults that do not compile."""
        while True:
            self.write()
            done = self.swift("build", "--build-tests", "-debug-info-format", "none")
            if done.returncode == 0:
                return
            errors = {(os.path.relpath(path, self.folder), int(line) - 1)
                      for path, line in re.findall(r"^(/[^:\n]+):(\d+):\d+: error:", done.stdout, re.M)}
            wrong = {self.nearest(path, line) for path, line in errors}
            left = [fault for fault in self.faults if fault not in wrong]
            if len(left) == len(self.faults):
                raise SystemExit("The copy does not build:\n" + done.stdout[-3000:])
            print(f"{len(self.faults) - len(left)} faults do not compile", flush=True)
            self.faults = left

    def nearest(self, path, line):
        """The fault that an error is about: the one on its line, or else the nearest in its file."""
        here = [fault for fault in self.faults if fault.path == path]
        return min(here, key=lambda fault: abs(fault.line - line), default=None)

    def is_killed(self, fault, tests, limit):
        environment = dict(os.environ, **{SWITCH: str(fault.number if fault else 0)})
        try:
            done = self.swift("test", "--skip-build", "--filter", tests, env=environment, timeout=limit)
        except subprocess.TimeoutExpired:
            return "time"
        return "killed" if done.returncode != 0 else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("modules", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default="", help="the test modules that also run, as NAME,NAME")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--scratch")
    options = parser.parse_args()
    modules = options.modules or ["FilesinkiReconcile"]
    root = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True).stdout.strip()
    faults = chosen(root, modules, options.count, options.seed)
    own = [f"{module}Tests" for module in modules]
    more = [name for name in options.tests.split(",") if name]
    folder = options.scratch or tempfile.mkdtemp(prefix="filesinki-mutants.")
    try:
        copy = Copy(root, folder, faults, own + more)
        copy.build()
        if copy.is_killed(None, "|".join(own + more), options.limit * 10):
            raise SystemExit("The tests fail without a fault.")
        report(copy, [own, more] if more else [own], options.limit)
    finally:
        if not options.scratch:
            shutil.rmtree(folder)


def report(copy, stages, limit):
    survived = 0
    for fault in copy.faults:
        how = None
        for tests in stages:
            module = fault.path.split("/")[1]
            chosen_tests = [name for name in tests if name == f"{module}Tests"] or tests
            how = how or copy.is_killed(fault, "^(" + "|".join(chosen_tests) + r")\.", limit)
        survived += how is None
        print(f"{how or 'SURVIVED':8} {fault}", flush=True)
    count = len(copy.faults)
    print(f"{count - survived} of {count} faults were noticed, {(count - survived) / max(1, count):.0%}")
    sys.exit(1 if survived else 0)


main()

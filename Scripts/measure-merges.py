#!/usr/bin/env python3
"""Measures the merge by format on real triples, beside `git merge-file`.

usage: measure-merges.py FOLDER... --binary PATH [--list] [--keep FOLDER] [--limit N]

FOLDER has a folder for every triple, as cut-triples.py makes them: base, here, there, committed
(what the people made of it) and name. They are counted by format, which the file's name tells.
Each result is read again by a parser that is not ours (json, json5, yaml, tomllib, lxml, csv, polib,
icalendar, vobject, markdown-it, html, zipfile, and a reader of settings by line), and compared as a parsed document.
Triples of which a version is not a document of the format are left out and counted. PyYAML, lxml,
json5, polib, icalendar, vobject and markdown-it-py have to be installed for those formats. A row has:

  triples      those that are counted
  git merged   what git merges to a document
  as git       of these: the same document
  git gave up  the others
  as people    of these: merged to the document that was committed
  order        of these: merged to the same lines, or to the same parts of the document, in another order
  people more  of these: merged to another one, and people committed a line that no version has
  otherwise    of these: merged to another one, though all lines that people committed were there
  declined     of all
  invalid      results that are no document, and crashes
  noise        results with a line that should not be there, or without one that should

--list names the triples that fell short, and why; --keep writes there what both merges made.
"""
import argparse
import collections
import configparser
import csv
import decimal
import functools
import hashlib
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile

MISSING = object()


# What each format's documents mean, as a value that `==` compares.


def members(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        return {"twice": pairs}
    return dict(pairs)


def number(text):
    """A number with a fraction or an exponent, exactly."""
    return {"number": str(decimal.Decimal(text).normalize())}


def json_document(data):
    def refuse(word):
        raise ValueError(word)

    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=members, parse_constant=refuse,
                      parse_float=number)


def json5_document(data):
    import json5
    return json5.loads(data.decode("utf-8-sig"), object_pairs_hook=members)


def yaml_document(data):
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    def mapping(loader, node):
        pairs = [(loader.construct_object(key, deep=True), loader.construct_object(value, deep=True))
                 for key, value in node.value]
        keys = [repr(key) for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError("a key twice")
        return dict(sorted(((repr(key), value) for key, value in pairs), key=lambda pair: pair[0]))

    def tagged(loader, suffix, node):
        if isinstance(node, yaml.ScalarNode):
            return {"tag": suffix, "value": node.value}
        if isinstance(node, yaml.SequenceNode):
            return {"tag": suffix, "value": loader.construct_sequence(node, deep=True)}
        return {"tag": suffix, "value": mapping(loader, node)}

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    Loader.add_multi_constructor("", tagged)
    return [repr(each) for each in yaml.load_all(data.decode("utf-8-sig"), Loader)]


def toml_document(data):
    return tomllib.loads(data.decode("utf-8-sig"), parse_float=str)


def xml_document(data):
    from lxml import etree
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    return etree.canonicalize(etree.fromstring(data, parser), strip_text=True, with_comments=True)


def table(data):
    text = data.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True,
                           delimiter="\t" if "\t" in text.split("\n", 1)[0] else ","))
    return {"header": rows[:1], "rows": sorted(map(json.dumps, rows[1:]))}


def settings(data):
    """Sections with their keys, each with its values in order; comments are left out."""
    parser = configparser.ConfigParser(interpolation=None, strict=True, allow_no_value=True,
                                       default_section="\0")
    parser.optionxform = str
    parser.read_string(data.decode("utf-8-sig"))
    return {name: dict(parser[name]) for name in parser.sections()}


def keyed_lines(data):
    """The same for what configparser does not read, such as a key that is there several times."""
    found, section = collections.defaultdict(list), ""
    for line in data.decode("utf-8-sig").splitlines():
        line = line.strip()
        if re.fullmatch(r"<{7}.*|={7}|>{7}.*", line):
            raise ValueError(line)
        if line.startswith("["):
            section = line
            found[section, ""] = []
        elif line and line[0] not in "#;!":
            key, _, value = line.partition("=")
            found[section, key.strip()].append(value.strip())
    return dict(found)


def properties(data):
    found = {}
    text = re.sub(r"\\\r?\n[ \t]*", "", data.decode("utf-8-sig"))
    for line in text.splitlines():
        if line.strip() and line.lstrip()[0] not in "#!":
            key, value = re.match(r"\s*((?:\\.|[^\s=:\\])*)\s*[=:]?\s*(.*)", line).groups()
            if key in found:
                raise ValueError("a key twice")
            found[key] = value
    return found


def line_set(data):
    lines = data.decode().splitlines()
    if any(re.match(r"<{7}|={7}$|>{7}", line) for line in lines):
        raise ValueError("a conflict")
    return sorted(line for line in lines if line.strip())


def notebook(data):
    found = json_document(data)
    if "nbformat" not in found or "cells" not in found:
        raise ValueError("no notebook")
    return found


def translations(data):
    import polib
    found = {}
    for entry in polib.pofile(data.decode("utf-8-sig")):
        key = (entry.msgctxt, entry.msgid, bool(entry.obsolete))
        if key in found:
            raise ValueError("a message twice")
        found[key] = (entry.msgstr, entry.msgstr_plural, sorted(entry.flags), entry.comment, entry.tcomment)
    return found


def markdown(data):
    """The text as HTML."""
    import markdown_it
    text = data.decode("utf-8-sig")
    if re.search(r"(?m)^(<{7}|>{7})( |$)", text):
        raise ValueError("a conflict")
    return markdown_it.MarkdownIt("commonmark").enable("table").render(text)


def calendar(data):
    """The components with their properties, each as it is written without folds."""
    import icalendar
    for component in icalendar.Calendar.from_ical(data.decode("utf-8-sig"), multiple=True):
        component.walk()
    return unfolded(data)


def cards(data):
    import vobject
    list(vobject.readComponents(data.decode("utf-8-sig")))
    return unfolded(data)


def bookmarks(data):
    """The tags with their attributes and the texts between them, without the white space around these."""
    text, found = data.decode("utf-8-sig"), []
    if not text.lstrip().upper().startswith("<!DOCTYPE NETSCAPE-BOOKMARK-FILE-1>"):
        raise ValueError("no bookmarks")
    if re.search(r"(?m)^(<{7}|>{7})( |\r?$)", text):
        raise ValueError("a conflict")
    reader = html.parser.HTMLParser()
    reader.handle_starttag = lambda tag, attributes: found.append((tag, sorted(attributes, key=repr)))
    reader.handle_endtag = found.append
    reader.handle_data = lambda text: text.strip() and found.append(text.strip())
    reader.feed(text)
    reader.close()
    return found


def archive(data):
    """The parts of a document by name: XML in its canonical form, others by their bytes."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        for entry in parts.infolist():
            if entry.filename in found:
                raise ValueError("a part twice")
            content = parts.read(entry)
            is_xml = content.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<")
            found[entry.filename] = xml_document(content) if is_xml and content \
                else hashlib.sha256(content).hexdigest()
    if not found:
        raise ValueError("no parts")
    return found


def unfolded(data):
    return re.sub(r"\r?\n[ \t]", "", data.decode("utf-8-sig")).splitlines()


FORMATS = {
    "plist": ([r"\.(plist|entitlements|mobileconfig)"], [xml_document]),
    "svg": ([r"\.svg"], [xml_document]),
    "draw.io": ([r"\.(drawio|dio)"], [xml_document]),
    "OPML": ([r"\.opml"], [xml_document]),
    "bookmarks": ([r"bookmark.*\.html?", r".*bookmarks\.html"], [bookmarks]),
    "ODF": ([r"\.(od[tspg]|ot[tspg])"], [archive]),
    "OOXML": ([r"\.(doc|xls|ppt)[xm]"], [archive]),
    "EPUB": ([r"\.epub"], [archive]),
    "JSON": ([r"\.json"], [json_document]),
    "JSONC": ([r"\.(json|jsonc|json5|code-workspace|code-snippets|babelrc|eslintrc|jshintrc|swcrc)",
               r"\.sublime-(settings|project|keymap)"], [json5_document]),
    "YAML": ([r"\.ya?ml"], [yaml_document]),
    "TOML": ([r"\.toml", r"(Cargo|poetry|uv|Pipfile)\.lock"], [toml_document]),
    "properties": ([r"\.properties"], [properties]),
    "units": ([r"\.(desktop|service|socket|timer|target|mount|path|slice)"], [keyed_lines]),
    "INI": ([r"\.(ini|editorconfig|npmrc|pylintrc|gitconfig|gitmodules)", r"setup\.cfg",
             r"\.env(\..*)?", r".*\.env"], [settings, keyed_lines]),
    "XML": ([r"\.(xml|csproj|props|targets|resx|xaml|nuspec|xib|storyboard|xcscheme|ui|glade|qrc)",
             r"\.(xlf|xliff|vcxproj|xsd|xsl|gpx|iml|opf|fod[tspg])"], [xml_document]),
    "CSV": ([r"\.[ct]sv"], [table]),
    "notebooks": ([r"\.ipynb"], [notebook]),
    "PO": ([r"\.(po|pot)"], [translations]),
    "Markdown": ([r"\.(md|markdown)"], [markdown]),
    "calendars": ([r"\.(ics|ical|ifb|vcs)"], [calendar]),
    "cards": ([r"\.(vcf|vcard)"], [cards]),
    "line sets": ([r"requirements.*\.txt", r"go\.sum"], [line_set]),
}
"""The format of a file, and what reads it, by the end of its name; the first that reads it counts."""

# Their bytes have no lines.
ARCHIVES = {"ODF", "OOXML", "EPUB"}

# Merged by a rule, as no name selects them.
BY_RULE = {"line sets": "union-lines", "TOML": "toml"}


@functools.lru_cache(maxsize=16)
def parsed(reader, data):
    try:
        return reader(data)
    except Exception:  # Of a parser that is not ours: whatever it throws, it did not read it.
        return MISSING


def format_of(name, versions):
    """The format of a triple and its reader; None where a version is of none."""
    last = name.rpartition("/")[2]
    for word, (ends, readers) in FORMATS.items():
        if not any(re.fullmatch(f"(.*)({end})" if end.startswith(r"\.") else end, last, re.I)
                   for end in ends):
            continue
        for reader in readers:
            if all(parsed(reader, data) is not MISSING for data in versions.values()):
                return word, reader
    return None, None


def lines(data):
    """How often each line is there, without the comma, which comes and goes with neighbours."""
    return collections.Counter(line.rstrip(b"\r").removesuffix(b",") for line in data.split(b"\n"))


def conflicting(git):
    """The lines between git's conflict markers, which a merge may make into others."""
    found, inside = set(), False
    for line in git.split(b"\n"):
        if re.match(rb"<{7}( |$)", line):
            inside = True
        elif re.match(rb">{7}( |$)", line):
            inside = False
        elif inside:
            found.add(line.rstrip(b"\r").removesuffix(b","))
    return found


def noise(versions, result, git):
    """Lines that are there and should not be, or the other way round.

    A line that no version has twice is in the result if both sides have it, or the one that
    changed that; so is a line that is nowhere. Where git finds a conflict, the merge can make
    lines of parts of both sides'.
    """
    counts = [lines(versions[name]) for name in ("base", "here", "there")] + [lines(result)]
    found, apart = set(), conflicting(git)
    for line in set().union(*counts) - apart:
        base, here, there, made = (count[line] for count in counts)
        expected = here if base == there else there
        if max(base, here, there, made) <= 1 and made != expected and (here != there or made != here):
            found.add(line)
    nowhere = {line for line in found if not any(count[line] for count in counts[:3])}
    return found - nowhere if len(nowhere) <= len(apart) else found


def unordered(value):
    """A document without the order of its lists, and of its elements."""
    if isinstance(value, dict):
        return sorted(((repr(key), unordered(each)) for key, each in value.items()), key=repr)
    if isinstance(value, (list, tuple)):
        return sorted((unordered(each) for each in value), key=repr)
    return value


def written_lines(data):
    """Each line without the white space around it, and without its comma; blank ones are left out."""
    return collections.Counter(filter(None, (line.strip().removesuffix(b",").rstrip()
                                             for line in data.split(b"\n"))))


def in_another_order(reader, result, committed):
    if written_lines(result) == written_lines(committed):
        return True
    one, other = parsed(reader, result), parsed(reader, committed)
    return MISSING not in (one, other) and not isinstance(one, (str, bytes)) \
        and unordered(one) == unordered(other)


def run(arguments):
    return subprocess.run(arguments, capture_output=True, check=False)


class Triple:
    """What became of one triple: a set of words."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        names = ["base", "here", "there", "committed"]
        self.versions = {name: (folder / name).read_bytes() for name in names}
        name = folder / "name"
        self.name = name.read_bytes().decode("utf-8", "replace").partition("\n")[0] \
            if name.exists() else "x.json"
        self.format, self.reader = format_of(self.name, self.versions)
        self.found = self.measure() if self.format else {"left out"}

    def measure(self):
        paths = {name: str(self.folder / name) for name in self.versions}
        kind = BY_RULE.get(self.format)
        words = ["--type", kind] if kind else ["--path", self.name]
        ours = run([self.options.binary, "merge", *words,
                    paths["base"], paths["here"], paths["there"]])
        git = run(["git", "merge-file", "-p", paths["here"], paths["base"], paths["there"]])
        self.keep(ours.stdout, git.stdout)
        by_git = parsed(self.reader, git.stdout) if git.returncode == 0 else MISSING
        found = {"git merged" if by_git is not MISSING else "git gave up"}
        if git.returncode == 0 and by_git is MISSING:
            found.add("git broke it")
        if ours.returncode == 1:
            return found | {"declined"}
        if ours.returncode:
            return found | {"invalid"}
        result = parsed(self.reader, ours.stdout)
        found.add("merged" if result is not MISSING else "invalid")
        if by_git is not MISSING and result == by_git:
            found.add("as git")
        if git.returncode == 0 and ours.stdout == git.stdout:
            found.add("same bytes")
        if result == parsed(self.reader, self.versions["committed"]):
            found.add("as people")
        elif result is not MISSING:
            found.add(self.difference(ours.stdout))
        if self.format not in ARCHIVES and not self.has_other_columns \
                and noise(self.versions, ours.stdout, git.stdout):
            found.add("noise")
        return found

    def difference(self, result):
        """In what a result is another document than the one that people committed."""
        committed = self.versions["committed"]
        if in_another_order(self.reader, result, committed):
            return "order"
        known = [written_lines(self.versions[name]) for name in ("base", "here", "there")]
        written = written_lines(committed)
        return "people more" if any(not any(each[line] for each in known) for line in written) \
            else "otherwise"

    @property
    def has_other_columns(self):
        """Whether each row of a table is another line in the result, as a side changed the columns."""
        heads = {self.versions[name].partition(b"\n")[0] for name in ("base", "here", "there")}
        return self.format == "CSV" and len(heads) > 1

    def keep(self, ours, git):
        if self.options.keep:
            folder = self.options.keep / str(self.folder).strip("/").replace("/", "_")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "ours").write_bytes(ours)
            (folder / "git").write_bytes(git)

    @property
    def fell_short(self):
        return self.found & {"invalid", "noise"} or (
            "merged" in self.found and not self.found & {"as git", "as people"})


def row(word, found):
    def count(*words):
        return sum(1 for each in found if each.issuperset(words))

    given = count("git gave up")
    return [word, len(found), count("git merged"), count("git merged", "as git"), given,
            count("git gave up", "as people"),
            *(count("git gave up", "merged", word) for word in ("order", "people more", "otherwise")),
            count("declined"), count("invalid"), count("noise")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--limit", type=int, default=1000, help="at most so many of each folder")
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


def triples(options):
    for folder in options.folders:
        yield from sorted(base.parent for base in folder.glob("**/base"))[:options.limit]


def main():
    options = arguments()
    groups, left_out = collections.defaultdict(list), 0
    for folder in triples(options):
        triple = Triple(folder, options)
        if triple.format is None:
            left_out += 1
            continue
        groups[triple.format].append(triple.found)
        if options.list and triple.fell_short:
            print(f"    {triple.folder} {triple.name}: {', '.join(sorted(triple.found))}",
                  flush=True)
    if not groups:
        sys.exit("There are no triples in the folder.")
    print("| format | triples | git merged | as git | git gave up | as people | order | people more "
          "| otherwise | declined | invalid | noise |")
    print("|---|" + "--:|" * 11)
    for word in sorted(groups, key=str.lower):
        print("| " + " | ".join(map(str, row(word, groups[word]))) + " |")
    print(f"{left_out} left out: a version that the parser does not read, or no format.")


if __name__ == "__main__":
    main()

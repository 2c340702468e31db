#!/usr/bin/env python3
"""Writes the manual pages: man.py PROGRAM FOLDER

What they say comes from the program itself (--experimental-dump-help of swift-argument-parser) and,
for exit codes and variables, from the tables in Docs/CommandLine.md; so there is one text of each.
"""

import json
import pathlib
import re
import subprocess
import sys

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "Docs" / "CommandLine.md"
SKIPPED = {"help", "h", "version", "experimental-dump-help", "generate-completion-script"}


def escape(text):
    """Text as troff prints it, and nothing else."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\`")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def bold(text):
    return "\\fB" + escape(text) + "\\fR"


def italic(text):
    return "\\fI" + escape(text) + "\\fR"


def plain(markdown):
    """A table's cell without its marks, and links as their text."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "").replace("\\|", "|").strip()


def table(heading):
    """The rows of the first table below a heading of the document, without its head."""
    lines = DOCUMENT.read_text(encoding="utf-8").split("\n")
    rows = []
    for line in lines[lines.index(heading) + 1:]:
        if line.startswith("## "):
            break
        if line.startswith("|"):
            rows.append([plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows[2:]


def names(argument):
    result = []
    for name in argument.get("names", []):
        long = name["kind"] == "long"
        result.append(("--" if long else "-") + name["name"])
    return sorted(result, key=len)


def is_shown(argument):
    preferred = argument.get("preferredName", {}).get("name")
    return argument.get("shouldDisplay", True) and preferred not in SKIPPED


def synopsis(argument):
    value = italic(argument.get("valueName", "").upper()) if argument["kind"] == "positional" else ""
    if argument["kind"] != "positional":
        value = bold(names(argument)[-1])
        if argument["kind"] == "option":
            value += " " + italic(argument["valueName"])
    if argument.get("isRepeating"):
        value += " \\&..."
    return "[" + value + "]" if argument.get("isOptional", False) else value


def item(argument):
    if argument["kind"] == "positional":
        head = italic(argument["valueName"].upper())
    else:
        head = ", ".join(bold(name) for name in names(argument))
        if argument["kind"] == "option":
            head += " " + italic(argument["valueName"])
    text = [argument.get("abstract", ""), argument.get("discussion", "")]
    if argument.get("defaultValue") and argument["kind"] == "option":
        text.append("Without it: " + argument["defaultValue"] + ".")
    body = escape(" ".join(part for part in text if part).replace("\n", " "))
    return [".TP", head, body]


def page(path, command):
    title = "-".join(path)
    abstract = command.get("abstract", "").rstrip(".")
    lines = [
        '.TH "%s" 1 "" "filesinki" "filesinki\'s manual"' % escape(title.upper()),
        ".SH NAME", escape(title) + " \\- " + escape(abstract[:1].lower() + abstract[1:]),
        ".SH SYNOPSIS",
    ]
    arguments = [each for each in command.get("arguments", []) if is_shown(each)]
    subcommands = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    if subcommands:
        lines += [bold(" ".join(path)) + " " + italic("COMMAND") + " [" + italic("ARGUMENTS") + "]"]
    else:
        lines += [bold(" ".join(path)) + "\n" + "\n".join(synopsis(each) for each in arguments)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"]
        for paragraph in command["discussion"].split("\n\n"):
            lines += [".PP", escape(paragraph)]
    if subcommands:
        lines += [".SH COMMANDS"]
        for each in subcommands:
            name = bold("-".join(path + [each["commandName"]])) + "(1)"
            lines += [".TP", name, escape(each.get("abstract", ""))]
    if arguments:
        lines += [".SH OPTIONS"]
        for each in arguments:
            lines += item(each)
    if len(path) == 1:
        lines += main_sections()
    else:
        lines += [".SH EXIT STATUS", "See " + bold("filesinki") + "(1).", ".SH SEE ALSO", bold("filesinki") + "(1)"]
    return "\n".join(lines) + "\n"


def main_sections():
    lines = [".SH EXIT STATUS"]
    for row in table("## Exit codes"):
        lines += [".TP", bold(row[0]), escape(row[1])]
    lines += [".SH ENVIRONMENT"]
    for row in table("## Environment"):
        lines += [".TP", bold(row[0]), escape(row[1])]
    lines += [".SH FILES"]
    for name, meaning in [
        (".filesinki/", "In a root: what the replica knows. It is private to its owner."),
        (".filesinki.toml", "In a root: rules, synced like any file."),
        (".filesinkiignore", "In a root and its folders: what is left out, in gitignore's syntax."),
        ("~/.config/filesinki/config.toml", "Rules of this device alone."),
    ]:
        lines += [".TP", bold(name), escape(meaning)]
    return lines


def write(folder, path, command):
    target = folder / ("-".join(path) + ".1")
    target.write_text(page(path, command), encoding="utf-8")
    for each in command.get("subcommands", []):
        if each["commandName"] != "help" and each.get("shouldDisplay", True):
            write(folder, path + [each["commandName"]], each)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, ["filesinki"], json.loads(dump.stdout)["command"])


main()

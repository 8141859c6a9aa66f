# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Of ncu-cubin.sh: what is launched, and what ncu said of each launch.
#   ncu-cubin.py sources TESTS DATA FOLDER      copies our own kernels there, and a source for each shape of the catalogue
#   ncu-cubin.py list PTX                       the launches that the source beside it names, as launch-ptx reads them
#   ncu-cubin.py split SOURCE CSV PREFIX        PREFIX.K.launch: the options of analyze, PREFIX.K.csv: the columns of ncu's
#                                               source page that count, for the K-th launch
#   ncu-cubin.py archive FOLDER FILE            FILE (.tar.xz) with what FOLDER has
#   ncu-cubin.py check SMEMBANK FILE [COMPARE-MEMORY]   each launch of FILE beside what ncu said of it, and what it left in
#                                               memory
import collections
import configparser
import csv
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

from launches import describe, entries_of, launches_of, options_of, plain, three

COLUMNS = ("Address", "Source", "Instructions Executed", "Predicated-On Thread Instructions Executed",
           "L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal", "L1 Wavefronts Shared Excessive")
REAL = {"float": "f32", "int": "i32", "unsigned": "i32", "double": "f64"}


def items(text):
    return dict(item.split("=", 1) for item in text.split(";") if item)


def catalogue_options(shape, text):
    """The options of analyze for a shape of the catalogue."""
    parameters = re.search(r"__global__\s+void\s+" + shape["entry"] + r"\s*\(([^)]*)\)", text, re.S).group(1).split(",")
    values = items(shape.get("args", ""))
    options = ["--entry", shape["entry"], "--block", shape["block"], "--grid", shape.get("grid", "1")]
    for index, parameter in enumerate(parameters):
        name = re.search(r"(\w+)\s*$", parameter).group(1)
        if "*" in parameter:
            options += ["--buffer", f"{index}=iota:{REAL[re.search(r'float|int|unsigned|double', parameter).group()]}"]
        else:
            options += ["--arg", f"{index}={values[name]}"]
    if "dynamic-bytes" in shape:
        macros = dict(re.findall(r"#define\s+(\w+)\s+(\d+)", text)) | items(shape.get("defines", ""))
        expression = re.sub(r"[A-Za-z_]\w*", lambda word: macros[word.group()], shape["dynamic-bytes"])
        options += ["--dynamic-bytes", str(int(eval(expression, {"__builtins__": {}})))]
    return options


def sources(tests, data, folder):
    for path in glob.glob(f"{tests}/ptx/*.cu") + glob.glob(f"{tests}/ptx/*.h"):
        shutil.copy(path, folder)
    catalogue = configparser.RawConfigParser(strict=False)
    catalogue.optionxform = str
    catalogue.read(f"{data}/kernels/catalog.ini")
    for section in catalogue.sections():
        shape = dict(catalogue[section])
        with open(f"{data}/kernels/{shape['file']}") as file:
            text = file.read()
        with open(f"{folder}/catalog-{re.sub('[^A-Za-z0-9]+', '-', section)}.cu", "w") as file:
            file.write("// launch: " + shlex.join(catalogue_options(shape, text)) + "\n")
            file.writelines(f"#define {name} {value}\n" for name, value in items(shape.get("defines", "")).items())
            file.write(text)


def fill(words, source):
    """Options with contents for buffers that have none: numbers that differ, of their type."""
    option = options_of(words)
    name = re.sub("<.*", "", option["--entry"][0])
    parameters = re.search(r"__global__[^;{]*?\b" + name + r"\s*\(([^)]*)\)", source, re.S).group(1).split(",")
    given = [int(text.partition("=")[0]) for text in option["--buffer"]]
    kinds = {i: REAL.get(re.sub(r"[*\s].*", "", text.replace("const ", "").strip(), flags=re.S), "i32")
             for i, text in enumerate(parameters) if "*" in text and i not in given}
    return words + [word for i, kind in kinds.items() for word in ("--buffer", f"{i}=iota:{kind}")]


def launches(ptx):
    """(options of analyze, mangled name, what launch-ptx reads) of each launch."""
    folder, name = os.path.split(os.path.splitext(ptx)[0])
    with open(ptx) as file:
        entries = entries_of(file.read())
    with open(f"{folder or '.'}/{name}.cu") as file:
        source = file.read()
    names = {plain(mangled): mangled for mangled in entries}
    for text in launches_of(folder or ".", name):
        words = shlex.split(text, comments=True)
        mangled = names[words[words.index("--entry") + 1].replace(" ", "")]
        yield words, mangled, describe(fill(words, source), entries, mangled)


def tables_of(path):
    """The tables of a source page: their header and rows."""
    tables = []
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                tables.append([row])
            elif tables and row and (row[0] == "Address" or row[0].startswith("0x")):
                tables[-1].append(row)
    return tables


def split(ptx, path, prefix):
    planned, tables = list(launches(ptx)), tables_of(path)
    if len(tables) == 2 * len(planned):  # every launch was profiled twice
        tables = tables[::2]
    if len(tables) != len(planned):
        sys.exit(f"{path}: {len(planned)} launches, {len(tables)} tables")
    for number, ((words, mangled, _), table) in enumerate(zip(planned, tables)):
        words[words.index("--entry") + 1] = mangled
        with open(f"{prefix}.{number}.launch", "w") as file:
            file.write(shlex.join(words) + "\n")
        kept = [table[1].index(column) for column in COLUMNS if column in table[1]]
        with open(f"{prefix}.{number}.csv", "w", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(table[0])
            writer.writerows([row[index] for index in kept] for row in table[1:])


def compare_counts(smembank, prefix, cubin, words, row, notes):
    """Adds to @row, and to @notes what is not equal."""
    name = os.path.basename(prefix)
    run = subprocess.run([smembank, "validate", cubin, *words, "--ncu", f"{prefix}.csv", "--format", "json"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1):
        row["refused"] += 1
        message = (run.stderr.splitlines() or [f"status {run.returncode}"])[0].partition(": ")[2]
        notes.append(f"{name}: refused: {message.replace(os.path.dirname(prefix) + '/', '')}")
        return
    noted = set()
    for item in json.loads(run.stdout)["rows"]:
        metric, place = item["metric"].split("@")
        outcome = "equal" if item["match"] else "explained" if item["explained"] else "different"
        row[f"{metric} {outcome}"] += 1
        row[f"{metric} of ncu"] += int(item["measured"])
        row["different"] += outcome == "different"
        telling = outcome == "different" if metric == "executed" else outcome != "equal"
        if telling and place not in noted:
            noted.add(place)
            notes.append(f"{name}: {place} {item['instruction']}: {metric} {item['predicted']}, of ncu {item['measured']}: "
                         f"{outcome}{': ' + item['note'] if item['note'] else ''}")


def compare_memory(program, prefix, cubin, words, row, notes):
    """Adds the bytes of buffers that the launch and the device left."""
    option = options_of(words)
    block, grid = (",".join(three((option[name] or ["1"])[0])) for name in ("--block", "--grid"))
    run = subprocess.run([program, "launch", cubin, block, grid, (option["--dynamic-bytes"] or ["0"])[0],
                          f"entry:{option['--entry'][0]}", *(f"arg:{text}" for text in option["--arg"]),
                          f"memory:{prefix}.memory"], capture_output=True, text=True)
    sums = re.match(r"memory: (\d+) bytes changed and equal, (\d+) not known, (\d+) different", run.stdout)
    for what, count in zip(("equal", "unknown", "different"), sums.groups() if sums else ()):
        row[f"memory {what}"] += int(count)
    row["different"] += sums is not None and sums.group(3) != "0"
    if not sums or sums.group(2) != "0" or sums.group(3) != "0":
        text = (run.stdout + run.stderr).strip().replace(os.path.dirname(prefix) + "/", "")
        notes.append(f"{os.path.basename(prefix)}: {text}")


def archive(folder, path):
    def plain_member(member):
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(path, "w:xz", preset=9) as file:
        for name in sorted(os.listdir(folder)):
            file.add(f"{folder}/{name}", name, filter=plain_member)


def check(smembank, path, memory=None):
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(path) as file:
            file.extractall(folder)
        return check_folder(smembank, folder, memory)


def check_folder(smembank, folder, memory):
    """A row for each source, then what is not equal; 1: something differs."""
    table, notes = collections.defaultdict(collections.Counter), []
    for path in sorted(glob.glob(f"{folder}/*.launch")):
        prefix = path[:-len(".launch")]
        name = os.path.basename(prefix).rsplit(".", 1)[0]
        with open(path) as file:
            words = shlex.split(file.read())
        row = table[re.sub(r"^catalog-(\w+)-.*", r"\1", name)]
        row["launches"] += 1
        compare_counts(smembank, prefix, f"{folder}/{name}.cubin", words, row, notes)
        if memory:
            compare_memory(memory, prefix, f"{folder}/{name}.cubin", words, row, notes)
    total = sum(table.values(), collections.Counter())
    print("| Source | Launches | Instructions | Wavefronts of ncu | Equal | Not exact | Different | Lanes of ncu | "
          "Instructions with equal lanes | Refused launches | Bytes equal | Not known | Different |")
    print("|---" + "|--:" * 12 + "|")
    for name, row in [*table.items(), ("all", total)]:
        outcomes = [row[f"wavefronts {what}"] for what in ("equal", "explained", "different")]
        cells = [name, row["launches"], sum(outcomes), row["wavefronts of ncu"], *outcomes,
                 row["active_lanes of ncu"], row["active_lanes equal"], row["refused"],
                 *(row[f"memory {what}"] for what in ("equal", "unknown", "different"))]
        print(f"| {' | '.join(map(str, cells))} |")
    print("".join(f"\n- {note}" for note in notes))
    return 1 if total["different"] else 0


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "sources":
        sources(*arguments)
    elif what == "list":
        print("".join(text for _, _, text in launches(arguments[0])), end="")
    elif what == "split":
        split(*arguments)
    elif what == "archive":
        archive(*arguments)
    else:
        return check(*arguments)
    return 0


sys.exit(main())

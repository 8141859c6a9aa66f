# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Of ncu-cubin.sh: what is launched, and what ncu said of each launch.
#   ncu-cubin.py sources TESTS DATA FOLDER      copies our own kernels there, and a source for each shape of the catalogue
#   ncu-cubin.py list PTX                       the launches that the source beside it names, as launch-ptx reads them
#   ncu-cubin.py split SOURCE CSV PREFIX        PREFIX.K.launch: the options of analyze, PREFIX.K.csv: the columns of ncu's
#                                               source page that count, for the K-th launch
#   ncu-cubin.py check SMEMBANK FOLDER [OPTION]...  validates each launch of FOLDER against what ncu said of it
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

from launches import describe, entries_of, launches_of, plain

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


def launches(ptx):
    """(options of analyze, mangled name, what launch-ptx reads) of each launch."""
    folder, name = os.path.split(os.path.splitext(ptx)[0])
    with open(ptx) as file:
        entries = entries_of(file.read())
    names = {plain(mangled): mangled for mangled in entries}
    for text in launches_of(folder or ".", name):
        words = shlex.split(text, comments=True)
        mangled = names[words[words.index("--entry") + 1].replace(" ", "")]
        yield words, mangled, describe(words, entries, mangled)


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


def check(smembank, folder, options):
    counts = {"equal": 0, "not exact": 0, "different": 0, "refused": 0}
    instructions = 0
    for path in sorted(glob.glob(f"{folder}/*.launch")):
        name = os.path.basename(path)[:-len(".launch")]
        with open(path) as file:
            words = shlex.split(file.read())
        command = [smembank, "validate", f"{folder}/{name.rsplit('.', 1)[0]}.cubin", *words, "--ncu",
                   f"{folder}/{name}.csv", "--format", "json", *options]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode not in (0, 1):
            counts["refused"] += 1
            print(f"{name}: refused: {(run.stderr.splitlines() or [f'status {run.returncode}'])[0]}")
            continue
        result = json.loads(run.stdout)
        print(name, run.returncode, json.dumps(result)[:300])
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f"; {instructions} instructions")
    return 0


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "sources":
        sources(*arguments)
    elif what == "list":
        print("".join(text for _, _, text in launches(arguments[0])), end="")
    elif what == "split":
        split(*arguments)
    else:
        return check(arguments[0], arguments[1], arguments[2:])
    return 0


sys.exit(main())

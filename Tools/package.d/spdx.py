"""The bill of materials of a release, as SPDX 2.3: spdx.py PROGRAM LICENSE. What is not known, such as the licence while the owner has not chosen one, is
NOASSERTION."""
import datetime, hashlib, json, os, pathlib, platform, re, subprocess, sys

program, licence = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
content = program.read_bytes()
digest, machine = hashlib.sha256(content).hexdigest(), platform.machine()
version = subprocess.check_output([program, "--version"], text=True).split()[1]


def output(*words):
    """The first line of a program's output."""
    return subprocess.run(words, text=True, capture_output=True).stdout.partition("\n")[0]


# The version of SQLite that the program has, not that of the system.
sqlite = subprocess.run([program, "-", "--from-format", "csv", "--sql", "select sqlite_version() as v", "-f", "csv", "--no-headers"],
                        input="a\n1\n", text=True, capture_output=True).stdout.strip()
swift = re.search(r"Swift version (\S+)", output("swift", "--version")).group(1)
clang = str(pathlib.Path(os.path.realpath(subprocess.check_output(["sh", "-c", "command -v swift"], text=True).strip())).parent / "clang")
library = os.path.realpath(output(clang, "-print-file-name=libstdc++.a"))
gcc = (re.search(r"/gcc/[^/]+/(\d[\d.]*)/", library) or [None, "unknown"])[1]
package = output("dpkg-query", "-W", "-f", "${Version}\n", f"libstdc++-{gcc}-dev") or gcc


def part(name, version, supplier, licence, place):
    return {"SPDXID": "SPDXRef-" + re.sub("[^A-Za-z0-9.]", "-", name), "name": name, "versionInfo": version, "supplier": supplier, "downloadLocation": place,
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}


chosen = "NOASSERTION"
if licence.exists():
    words = re.search(r"SPDX-License-Identifier:\s*(\S+)", licence.read_text())
    chosen = words[1] if words else "LicenseRef-bb"
bb = part(f"bb-{machine}", version, "NOASSERTION", chosen, "NOASSERTION")
sha1 = hashlib.sha1(content).hexdigest()
bb |= {"filesAnalyzed": True, "primaryPackagePurpose": "APPLICATION", "hasFiles": ["SPDXRef-bb-export"], "licenseInfoFromFiles": ["NOASSERTION"],
       "packageVerificationCode": {"packageVerificationCodeValue": hashlib.sha1(sha1.encode()).hexdigest()}}
parts = [part("Swift runtime", swift, "Organization: Swift.org", "Apache-2.0 WITH Swift-exception", "https://www.swift.org/download/"),
         part("libstdc++", package, "Organization: GNU Project", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/"),
         part("SQLite", sqlite, "Organization: SQLite", "blessing", "https://www.sqlite.org/")]
document = {
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"bb-{version}-linux-{machine}",
    "documentNamespace": f"https://bb.invalid/spdx/bb-{version}-{machine}-{digest}",
    "creationInfo": {"created": datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: bb-Tools-package"]},
    "packages": [bb] + parts,
    "files": [{"SPDXID": "SPDXRef-bb-export", "fileName": "./bin/bb-export", "fileTypes": ["BINARY"], "licenseConcluded": chosen, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION",
               "comment": "bb-notes is a symbolic link to this program",
               "checksums": [{"algorithm": "SHA256", "checksumValue": digest}, {"algorithm": "SHA1", "checksumValue": sha1}]}],
    "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": bb["SPDXID"]},
                      {"spdxElementId": bb["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": "SPDXRef-bb-export"}]
    + [{"spdxElementId": "SPDXRef-bb-export", "relationshipType": "STATIC_LINK", "relatedSpdxElement": p["SPDXID"]} for p in parts]}
if chosen == "LicenseRef-bb":
    document["hasExtractedLicensingInfos"] = [{"licenseId": chosen, "name": "Licence of bb", "extractedText": licence.read_text()}]
print(json.dumps(document, indent=2, ensure_ascii=False))

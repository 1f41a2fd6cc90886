// SPDX-License-Identifier: Apache-2.0
//
// node sbom_valid.js MODULES FILE: validates CycloneDX JSON against the published schema, by the
// library of those who publish it; the package URLs, by the parser of those who define them; and
// that every reference leads to a component. Prints what is wrong.
const fs = require("fs");
const modules = require("module").createRequire(process.argv[2] + "/");
const file = process.argv[3];
const { Validation, Spec } = modules("@cyclonedx/cyclonedx-library");

async function main() {
  const text = fs.readFileSync(file, "utf8");
  const wrong = [];
  const found = await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text);
  if (found) wrong.push(JSON.stringify(found));
  const { PackageURL } = modules("packageurl-js");
  const bom = JSON.parse(text);
  const all = [bom.metadata.component, ...bom.components];
  for (const part of all) {
    try {
      const url = PackageURL.fromString(part.purl);
      if (url.name !== part.name || url.version !== part.version)
        wrong.push(`${part.purl} is not ${part.name} ${part.version}`);
    } catch (error) {
      wrong.push(`${part.purl}: ${error.message}`);
    }
  }
  const known = new Set(all.map(part => part["bom-ref"]));
  for (const row of bom.dependencies)
    for (const ref of [row.ref, ...(row.dependsOn || [])])
      if (!known.has(ref)) wrong.push(`${ref} is no component`);
  wrong.forEach(line => console.log(line));
  process.exitCode = wrong.length ? 1 : 0;
}

main();

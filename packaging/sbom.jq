# SPDX-License-Identifier: Apache-2.0
#
# For packaging/sbom: CycloneDX 1.5 of the lines `PACKAGE VERSION SOURCE FILE LINKED` and of an npm
# lock. Versions of Debian have characters that a package URL escapes.
def url: @uri | gsub("%3A"; ":");
def nibbles: explode[0] as $c | "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	| explode | index($c);
# sha512-BASE64 as hexadecimal digits: two characters are three digits.
def hex: ltrimstr("sha512-") | rtrimstr("==") | [explode[] | [.] | implode | nibbles]
	| [range(0; length; 2) as $i | .[$i] * 64 + (.[$i + 1] // 0)]
	| map([. / 256, . / 16, .] | map(floor % 16 | "0123456789abcdef"[.:. + 1]) | add) | add
	| .[:128];

($libraries | split("\n") | map(select(. != "") | split(" ")) | group_by(.[0]) | map({
	type: "library", name: .[0][0], version: .[0][1],
	purl: "pkg:deb/debian/\(.[0][0])@\(.[0][1] | url)?arch=\($arch)&distro=\($distro)",
	properties: ([{name: "coldspot:source-package", value: .[0][2]},
		{name: "coldspot:linked", value: (map(.[4]) | unique | join(" and "))}]
		+ map({name: "coldspot:file", value: .[3]}))
})) as $debian |
($lock[0].packages | to_entries | map(select(.key != "" and (.value.dev | not)) | {
	type: "library", name: (.key | sub(".*node_modules/"; "")), version: .value.version,
	licenses: [{license: {id: .value.license}}],
	hashes: [{alg: "SHA-512", content: (.value.integrity | hex)}],
	properties: [{name: "coldspot:linked", value: "bundled in the page"}]
} | .purl = "pkg:npm/\(.name | @uri)@\(.version)")) as $npm |
($debian + $npm | map(."bom-ref" = .purl)) as $components |
"pkg:generic/coldspot@\($version | url)?arch=\($arch)" as $self |
{
	bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
	metadata: {
		timestamp: $time,
		component: {
			type: "application", name: "coldspot", version: $version, purl: $self,
			"bom-ref": $self, hashes: [{alg: "SHA-256", content: $sha256}],
			licenses: [{expression: "Apache-2.0 AND (GPL-2.0-only OR BSD-2-Clause)"}]
		}
	},
	components: $components,
	dependencies: ([{ref: $self, dependsOn: ($components | map(.purl))}]
		+ ($components | map({ref: .purl})))
}

# SPDX-License-Identifier: Apache-2.0
"""A message of OTLP profiles as protoc decodes it: any field that the .proto files do not have is
an error."""
import os
import subprocess

PROTOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otlp")
DATA = ("opentelemetry.proto.profiles.v1development.ProfilesData",
        "opentelemetry/proto/profiles/v1development/profiles.proto")
REQUEST = ("opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest",
           "opentelemetry/proto/collector/profiles/v1development/profiles_service.proto")

# keys of attributes, and of rows of our JSON
ATTRIBUTES = {"off_cpu.cause": "cause", "off_cpu.class": "class", "thread.id": "tid",
              "process.pid": "tgid", "thread.name": "comm"}


def text_of(raw, message, proto, protos=PROTOS):
    done = subprocess.run(["protoc", f"--proto_path={protos}", f"--decode={message}", proto],
                          input=raw, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def bytes_of(text):
    return text.encode().decode("unicode_escape").encode("latin-1")


def unescape(text):
    return bytes_of(text).decode()


def parse(text):
    """protoc's text as nested {field: [value, ...]}; values are texts, without quotes."""
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith(" {"):
            name, fresh = line[:-2], {}
            assert not name.isdigit(), f"unknown field {name}"
            stack[-1].setdefault(name, []).append(fresh)
            stack.append(fresh)
        else:
            name, value = line.split(": ", 1)
            assert not name.isdigit(), f"unknown field {line}"
            if value.startswith('"'):
                value = value[1:-1]
            stack[-1].setdefault(name, []).append(value)
    assert len(stack) == 1
    return stack[0]


def one(message, name, default="0"):
    return message.get(name, [default])[0]


class Sample:
    def __init__(self, message):
        self.stack = int(one(message, "stack_index"))
        self.attributes = [int(i) for i in message.get("attribute_indices", [])]
        self.values = [int(v) for v in message["values"]]


class Profile:
    def __init__(self, message, strings):
        def type_of(field):
            if field not in message:
                return None
            type_ = message[field][0]
            return "/".join(strings[int(one(type_, part))]
                            for part in ("type_strindex", "unit_strindex"))
        self.message = message
        self.type = type_of("sample_type")
        self.period_type = type_of("period_type")
        self.period = int(one(message, "period"))
        self.id = one(message, "profile_id", "")
        self.time = int(one(message, "time_unix_nano"))
        self.duration = int(one(message, "duration_nano"))
        self.attributes = [int(i) for i in message.get("attribute_indices", [])]
        self.samples = [Sample(s) for s in message.get("samples", [])]


class Message:
    def __init__(self, text):
        top = parse(text)
        assert len(top["resource_profiles"]) == 1 and len(top["dictionary"]) == 1
        self.dictionary = top["dictionary"][0]
        self.strings = [unescape(s) for s in self.dictionary["string_table"]]
        self.resource = {one(a, "key", ""): unescape(one(one(a, "value", {}), "string_value", ""))
                         for a in top["resource_profiles"][0]["resource"][0]["attributes"]}
        scope = top["resource_profiles"][0]["scope_profiles"][0]
        self.profiles = [Profile(p, self.strings) for p in scope["profiles"]]

    def sums(self):
        return {p.type: sum(v for s in p.samples for v in s.values) for p in self.profiles}

    def attribute(self, idx):
        a = self.dictionary["attribute_table"][idx]
        value = one(a, "value", {})
        return self.strings[int(one(a, "key_strindex"))], \
            unescape(one(value, "string_value", "") or one(value, "int_value", ""))

    def by_attribute(self, key, type_="off_cpu/nanoseconds"):
        sums = {}
        for profile in self.profiles:
            for s in profile.samples if profile.type == type_ else ():
                keys = [self.attribute(i) for i in s.attributes]
                assert len(keys) == len({k for k, _ in keys}), f"a key twice: {keys}"
                value = dict(keys).get(key, "")
                sums[value] = sums.get(value, 0) + sum(s.values)
        return sums

    def used(self):
        """By table: what is referred to, but 0."""
        found = {table: set() for table in self.dictionary}

        def use(table, message, *fields):
            for field in fields:
                found[table].update(int(i) for i in message.get(field, []) if int(i))
        for profile in self.profiles:
            use("attribute_table", profile.message, "attribute_indices")
            for field in ("sample_type", "period_type"):
                for type_ in profile.message.get(field, []):
                    use("string_table", type_, "type_strindex", "unit_strindex")
            for sample in profile.message.get("samples", []):
                use("attribute_table", sample, "attribute_indices")
                use("stack_table", sample, "stack_index")
        for stack in self.dictionary["stack_table"]:
            use("location_table", stack, "location_indices")
        for location in self.dictionary["location_table"]:
            use("mapping_table", location, "mapping_index")
            for line in location.get("lines", []):
                use("function_table", line, "function_index")
        for function in self.dictionary["function_table"]:
            use("string_table", function, "name_strindex", "filename_strindex")
        for mapping in self.dictionary["mapping_table"]:
            use("attribute_table", mapping, "attribute_indices")
            use("string_table", mapping, "filename_strindex")
        for attribute in self.dictionary["attribute_table"]:
            use("string_table", attribute, "key_strindex")
        return found


def decode(raw, kind=DATA):
    return Message(text_of(raw, *kind))

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who asks "where" looks for their own function, and each language puts other code around
 * it. Files are the better evidence: packages and standard libraries have their own directories. A
 * name decides only where one file contains all of a program, as with Go, or a whole run time, as
 * with Node.js. New languages are new lines in the tables.
 *
 * Recordings of older versions have no paths of Python files; the standard library is then known by
 * the names of its modules.
 */
#include "analysis/name/own_code.h"

#include <string.h>

#include "analysis/name/java_name.h"
#include "analysis/name/label.h"
#include "base/text/suffix.h"

#define LONGEST_NAME_SZ 1024

struct words_rule {
	const char *begins;
	const char *rule;
};

#define C_LIBRARY "the C library"
#define C_RUNTIME "C++ and compiler run time"
#define CPYTHON "the Python interpreter"
#define PYTHON_LIBRARY "Python's standard library"
#define JDK "the JDK"
#define NODE "Node.js"
#define GO_LIBRARY "Go's run time and standard library"
#define RUST_LIBRARY "Rust's standard library"
#define PACKAGES "a Python package"

static const struct words_rule c_runtime_files[] = {
	{ "libc.so", C_LIBRARY },      { "libc-2", C_LIBRARY },	   { "ld-linux", C_LIBRARY },
	{ "ld-2.", C_LIBRARY },	       { "ld-musl", C_LIBRARY },   { "libpthread", C_LIBRARY },
	{ "librt.so", C_LIBRARY },     { "libstdc++", C_RUNTIME }, { "libgcc_s", C_RUNTIME },
	{ "libc++.so", C_RUNTIME },    { "libm.", C_LIBRARY },	   { "libm-2", C_LIBRARY },
	{ "libc++abi.so", C_RUNTIME },
};

static const struct words_rule machinery_files[] = {
	{ "libpython", CPYTHON }, { "python2", CPYTHON }, { "python3", CPYTHON },
	{ "libjvm.so", JDK },	  { "libnode.so", NODE }, { "libuv.so", NODE },
};

/* Libraries that talk to a server. */
static const char *const client_files[] = {
	"libpq.so",	"libmysqlclient", "libmariadb.so", "libhiredis",   "libssl.so",
	"libgnutls.so", "libcurl",	  "libsqlite3.so", "libmongoc",	   "librdkafka",
	"libzmq.so",	"libnghttp2",	  "libgrpc",	   "libcassandra", "libmemcached",
	"librabbitmq",	"libldap",	  "libnats.so",	   "libssh",	   "libdbus-1",
	"libodbc.so",	"libtds",	  "libclntsh",	   "libvirt.so",   "liburing.so",
};

/* Where systems keep shared libraries: a file "lib*.so" there is a library. */
static const char *const system_dirs[] = {
	"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/nix/store/",
};

/*
 * Functions with which single-file programs and run times wait. A name that begins so is machinery
 * in any file.
 */
static const struct words_rule machinery_names[] = {
	{ "WaitEventSetWait", "PostgreSQL's waits" },
	{ "WaitLatch", "PostgreSQL's waits" },
	{ "os::PlatformEvent::park", JDK },
	{ "os::PlatformMonitor", JDK },
	{ "Parker::park", JDK },
	{ "Unsafe_Park", JDK },
	{ "void jdk.internal.misc.Unsafe.park", JDK },
	{ "ObjectMonitor::EnterI", JDK },
	{ "node::", NODE },
	{ "v8::", NODE },
	{ "uv_", NODE },
	{ "Builtins_", NODE },
	{ "PyThread_acquire_lock_timed", CPYTHON },
	{ "_PyEval_", CPYTHON }, /* the page folds such frames into those of Python */
	{ "__gnu_cxx::", C_RUNTIME },
	{ "std::", "the standard library of C++ or Rust" },
	{ "void std::", C_RUNTIME },
	{ "__rust_", RUST_LIBRARY },
	{ "core::", RUST_LIBRARY },
	{ "alloc::", RUST_LIBRARY },
	{ "<std::", RUST_LIBRARY },
	{ "<core::", RUST_LIBRARY },
	{ "<alloc::", RUST_LIBRARY },
};

/* First elements of the import paths of Go's own packages; others have a dot, or are "main". */
static const char *const go_packages[] = {
	"archive",  "bufio",   "bytes",	   "cmp",     "compress", "container", "context", "crypto",
	"database", "debug",   "encoding", "errors",  "expvar",	  "flag",      "fmt",	  "go",
	"hash",	    "html",    "image",	   "index",   "internal", "io",	       "iter",	  "log",
	"maps",	    "math",    "mime",	   "net",     "os",	  "path",      "plugin",  "reflect",
	"regexp",   "runtime", "slices",   "sort",    "strconv",  "strings",   "sync",	  "syscall",
	"testing",  "text",    "time",	   "unicode", "unsafe",	  "vendor",
};

/* Modules of Python's standard library that wait, or that call what waits. */
static const char *const python_modules[] = {
	"_pyio.py:",	    "asyncio/",	      "code.py:",	"codecs.py:",
	"concurrent/",	    "contextlib.py:", "email/",		"encodings/",
	"ftplib.py:",	    "functools.py:",  "gzip.py:",	"http/",
	"importlib/",	    "imaplib.py:",    "json/",		"logging/",
	"multiprocessing/", "pathlib.py:",    "pickle.py:",	"poplib.py:",
	"queue.py:",	    "runpy.py:",      "sched.py:",	"selectors.py:",
	"shutil.py:",	    "smtplib.py:",    "socket.py:",	"socketserver.py:",
	"sqlite3/",	    "ssl.py:",	      "subprocess.py:", "tarfile.py:",
	"telnetlib.py:",    "tempfile.py:",   "threading.py:",	"unittest/",
	"urllib/",	    "wsgiref/",	      "xml/",		"xmlrpc/",
	"zipfile.py:",
};

/* How V8 names compiled JavaScript; what it compiles for itself has other words. */
static const char *const js_words[] = {
	"JS:", "LazyCompile:", "Function:", "Eval:", "Script:", "InterpretedFunction:",
};

static const char *const v8_words[] = {
	"Builtin:", "BytecodeHandler:", "Stub:", "Handler:", "RegExp:", "wasm",
};

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static bool begins_with_one_of(const char *text, const char *const *words, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (begins(text, words[i]))
			return true;
	}
	return false;
}

/* The words of the rule that applies, or NULL. */
static const char *find_rule(const char *text, const struct words_rule *rules, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (begins(text, rules[i].begins))
			return rules[i].rule;
	}
	return NULL;
}

static void set_machinery(struct own_code *ret, const char *rule)
{
	ret->role = CODE_MACHINERY;
	ret->rule = rule;
}

static void set_library(struct own_code *ret, const char *name, size_t len, const char *rule)
{
	ret->role = CODE_LIBRARY;
	ret->rule = rule;
	ret->library = name;
	ret->library_len = (u32)len;
}

/* After the last `word` in `path`, or NULL. */
static const char *after_last(const char *path, const char *word)
{
	const char *found = NULL;

	while ((path = strstr(path, word))) {
		path += strlen(word);
		found = path;
	}
	return found;
}

/* "requests" of "/x/site-packages/requests/api.py", "six" of "/x/site-packages/six.py". */
static bool is_python_package(const char *path, struct own_code *ret)
{
	const char *name = after_last(path, "/site-packages/");
	size_t len;

	if (!name)
		name = after_last(path, "/dist-packages/");
	if (!name || !*name)
		return false;
	len = strcspn(name, "/");
	if (!name[len])
		len = strcspn(name, ".");
	set_library(ret, name, len, PACKAGES);
	return true;
}

static bool is_python_stdlib(const char *path)
{
	const char *rest = after_last(path, "/lib/python3.");

	return rest && rest[strspn(rest, "0123456789t")] == '/';
}

/* `path`: of the source file; "": unknown. */
static void classify_python(const char *name, const char *path, struct own_code *ret)
{
	ret->interpreted = true;
	if (is_python_package(path, ret))
		return;
	if (begins(name, "<frozen ") || is_python_stdlib(path))
		set_machinery(ret, PYTHON_LIBRARY);
	else if (!*path && begins_with_one_of(name, python_modules, ARRAY_LEN(python_modules)))
		set_machinery(ret, PYTHON_LIBRARY);
}

static bool classify_java(const char *name, struct own_code *ret)
{
	if (!java_name_is(name))
		return false;
	ret->interpreted = true;
	if (java_name_is_library(name))
		set_machinery(ret, JDK);
	else if (java_name_is_package(name, &ret->library, &ret->library_len))
		set_library(ret, ret->library, ret->library_len, "a Java package");
	return true;
}

/* "JS:*handle /srv/app/node_modules/express/lib/router.js:46:12" */
static bool classify_js(const char *name, struct own_code *ret)
{
	const char *package = after_last(name, "/node_modules/");
	size_t len;

	if (begins_with_one_of(name, v8_words, ARRAY_LEN(v8_words))) {
		set_machinery(ret, NODE);
		return true;
	}
	if (!begins_with_one_of(name, js_words, ARRAY_LEN(js_words)))
		return false;
	ret->interpreted = true;
	if (package) {
		len = strcspn(package, "/");
		if (*package == '@' && package[len])
			len += 1 + strcspn(package + len + 1, "/");
		set_library(ret, package, len, "a package of Node.js");
	} else if (strstr(name, " node:") || !strchr(name, '/')) {
		set_machinery(ret, NODE);
	}
	return true;
}

/* "net/http.(*conn).serve", "runtime.gopark"; not "sort.part.0", a part of a function in C. */
static bool is_go_library(const char *name)
{
	char whole[LONGEST_NAME_SZ];
	size_t len = strcspn(name, "./"), i;

	for (i = 0; i < ARRAY_LEN(go_packages); i++) {
		if (strlen(go_packages[i]) == len && memcmp(go_packages[i], name, len) == 0)
			break;
	}
	if (i == ARRAY_LEN(go_packages) || !name[len])
		return false;
	return name[len] == '/' || strchr(suffix_strip(name, whole, sizeof(whole)), '.');
}

/* "golang.org/x/net/http2.(*Transport)": of Go's authors, but a module of its own. */
static bool is_go_module(const char *name, struct own_code *ret)
{
	static const char *const hosts[] = { "golang.org/x/", "google.golang.org/", "gopkg.in/" };
	const char *module;
	size_t i;

	for (i = 0; i < ARRAY_LEN(hosts); i++) {
		if (!begins(name, hosts[i]))
			continue;
		module = name + strlen(hosts[i]);
		set_library(ret, module, strcspn(module, "/."), "a Go module");
		return true;
	}
	return false;
}

/* "tokio::runtime::park" and "<tokio::net::TcpStream as ...>::poll" */
static bool is_rust_crate(const char *name, struct own_code *ret)
{
	static const char *const crates[] = {
		"async_std::", "crossbeam_",  "futures_", "hyper::",   "hyper_util::",
		"mio::",       "parking_lot", "rayon",	  "reqwest::", "tokio::",
	};
	const char *crate = name + strspn(name, "<");

	if (!begins_with_one_of(crate, crates, ARRAY_LEN(crates)))
		return false;
	set_library(ret, crate, strcspn(crate, ":"), "a Rust crate");
	return true;
}

static bool classify_by_name(const char *name, struct own_code *ret)
{
	const char *rule = find_rule(name, machinery_names, ARRAY_LEN(machinery_names));

	if (!rule && is_go_library(name))
		rule = GO_LIBRARY;
	if (rule)
		set_machinery(ret, rule);
	return rule || is_go_module(name, ret) || is_rust_crate(name, ret);
}

/* "libpq" of "libpq.so.5.15" */
static void set_shared(struct own_code *ret, const char *file, const char *rule)
{
	const char *end = strstr(file, ".so");

	set_library(ret, file, end ? (size_t)(end - file) : strlen(file), rule);
}

static bool is_shared_library(const char *path, const char *file)
{
	return begins(file, "lib") && strstr(file, ".so") &&
	       begins_with_one_of(path, system_dirs, ARRAY_LEN(system_dirs));
}

static bool classify_file(const char *path, struct own_code *ret)
{
	const char *file = label_basename(path);
	const char *rule = find_rule(file, c_runtime_files, ARRAY_LEN(c_runtime_files));

	if (!rule)
		rule = find_rule(file, machinery_files, ARRAY_LEN(machinery_files));
	if (!rule && strcmp(file, "node") == 0)
		rule = NODE;
	if (!rule && (begins(path, "/usr/lib/jvm/") || strstr(path, "/jre/lib/")))
		rule = JDK;
	if (rule) {
		set_machinery(ret, rule);
		return true;
	}
	if (is_python_package(path, ret))
		return true;
	if (is_python_stdlib(path)) {
		set_machinery(ret, PYTHON_LIBRARY);
		return true;
	}
	if (!begins_with_one_of(file, client_files, ARRAY_LEN(client_files)) &&
	    !is_shared_library(path, file))
		return false;
	set_shared(ret, file, "a shared library");
	return true;
}

void own_code_of(const struct profile *p, u32 frame, bool java, struct own_code *ret)
{
	const struct profile_frame *f = &p->frames[frame];
	const struct profile_module *m = &p->modules[f->module];
	const char *name = profile__str(p, f->name), *path = profile__str(p, m->path);

	*ret = (struct own_code){ .rule = "" };
	if (f->flags & FRAME_TRUNCATED || (m->kind == MODULE_NOTE && !f->file))
		set_machinery(ret, "not code");
	else if (m->kind == MODULE_VDSO)
		set_machinery(ret, C_LIBRARY);
	else if (java && classify_java(name, ret))
		return;
	else if (java)
		set_machinery(ret, JDK); /* stubs, and what has no name */
	else if (m->kind == MODULE_CODE)
		classify_python(name, profile__str(p, f->file), ret);
	else if (m->kind == MODULE_ANON && classify_js(name, ret))
		return;
	else if (m->kind != MODULE_ELF || !classify_file(path, ret))
		classify_by_name(name, ret);
}

bool own_code_name_is_machinery(const char *name)
{
	return find_rule(name, machinery_names, ARRAY_LEN(machinery_names));
}

bool own_code_is_c_runtime(const struct profile *p, u32 module)
{
	const struct profile_module *m = &p->modules[module];
	const char *file = label_basename(profile__str(p, m->path));

	return m->kind == MODULE_VDSO ||
	       find_rule(file, c_runtime_files, ARRAY_LEN(c_runtime_files));
}

bool own_code_is_client(const struct profile *p, u32 module)
{
	const struct profile_module *m = &p->modules[module];

	return m->kind == MODULE_ELF && begins_with_one_of(label_basename(profile__str(p, m->path)),
							   client_files, ARRAY_LEN(client_files));
}

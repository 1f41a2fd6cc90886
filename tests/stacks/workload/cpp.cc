/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What compilers make of C++ at -O2 without frame pointers: frames of unknown size (alloca), frames
 * that are realigned, deep recursion, exceptions under way, the library's templates and callbacks,
 * and handlers of signals that interrupt all of it. Each kind has a thread that works and sleeps by
 * turns, so that a stop at any time finds some of both.
 */
#include <alloca.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define OUTLINE __attribute__((noinline, noclone))

static volatile uint64_t sink;

OUTLINE static void pause_us(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, nullptr);
	sink = sink + 1;
}

OUTLINE static uint64_t churn(unsigned int rounds)
{
	uint64_t x = 88172645463325252ULL;

	for (unsigned int i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = sink + x;
	return x;
}

/* sleeps now and then, works else */
OUTLINE static void some(unsigned int seed)
{
	if (seed % 7 == 0)
		pause_us(100 + seed % 900);
	else
		churn(200 + seed % 3000);
}

OUTLINE static unsigned int on_heap_of_stack(unsigned int n, unsigned int depth)
{
	char *room = (char *)alloca(16 + n % 700);
	unsigned int sum;

	memset(room, (int)n, 16 + n % 700);
	if (!depth)
		some(n);
	sum = depth ? on_heap_of_stack(n * 17 + 3, depth - 1) : n;
	return sum + (unsigned char)room[n % 16];
}

struct alignas(64) Line {
	double v[16];
};

OUTLINE static double aligned(unsigned int n, unsigned int depth)
{
	Line line;

	for (unsigned int i = 0; i < 16; i++)
		line.v[i] = std::sqrt(n + i);
	if (!depth)
		some(n);
	double below = depth ? aligned(n + 5, depth - 1) : 1;
	return below + line.v[n % 16];
}

OUTLINE static double aligned_of_any_size(unsigned int n, unsigned int depth)
{
	char *room = (char *)alloca(32 + n % 300);
	alignas(128) volatile char wide[256];

	memset(room, 1, 32 + n % 300);
	wide[n % 256] = room[n % 32];
	double below = depth ? aligned_of_any_size(n * 3 + 1, depth - 1) : aligned(n, 3);
	return below + wide[n % 256];
}

struct Guard {
	unsigned int n;
	explicit Guard(unsigned int of) : n(of)
	{
	}
	OUTLINE ~Guard()
	{
		some(n);
	}
};

OUTLINE static void thrower(unsigned int n, unsigned int depth)
{
	Guard guard(n);

	if (!depth)
		throw std::runtime_error("n is " + std::to_string(n));
	try {
		thrower(n * 5 + 1, depth - 1);
	} catch (const std::logic_error &) {
		some(n);
	}
}

OUTLINE static unsigned int catcher(unsigned int n)
{
	try {
		thrower(n, n % 12);
	} catch (const std::exception &e) {
		some(n);
		return (unsigned int)strlen(e.what());
	}
	return 0;
}

OUTLINE static uint64_t recursive(unsigned int n)
{
	if (!n) {
		some((unsigned int)sink);
		return 1;
	}
	uint64_t below = recursive(n - 1);
	return below + churn(n % 3);
}

OUTLINE static size_t matches(unsigned int n)
{
	static const std::regex pattern("([a-z]+)([0-9]+)?(x|yz)*end");
	std::string text = "aaa";

	for (unsigned int i = 0; i < n % 30; i++)
		text += i % 3 ? "abc12" : "xyz";
	return std::distance(std::sregex_iterator(text.begin(), text.end(), pattern),
			     std::sregex_iterator());
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	if ((x ^ y) % 97 == 0)
		some((unsigned int)(x + y));
	return x < y ? -1 : x > y;
}

OUTLINE static void sorts(unsigned int n)
{
	std::vector<int> v(200 + n % 800);
	std::minstd_rand dice(n);

	std::generate(v.begin(), v.end(), [&] { return (int)(dice() % 100000); });
	std::vector<int> w = v;
	std::sort(v.begin(), v.end(), [](int a, int b) {
		if ((a ^ b) % 131 == 0)
			some((unsigned int)(a + b));
		return a < b;
	});
	qsort(w.data(), w.size(), sizeof(w[0]), by_value);
	sink = sink + (uint64_t)v[0] + (uint64_t)w[0];
}

struct Shape {
	virtual ~Shape() = default;
	virtual double area(unsigned int n) const = 0;
};

struct Round : Shape {
	OUTLINE double area(unsigned int n) const override
	{
		some(n);
		return n * 3.14;
	}
};

struct Nested : Shape {
	std::unique_ptr<Shape> inner;
	explicit Nested(std::unique_ptr<Shape> of) : inner(std::move(of))
	{
	}
	OUTLINE double area(unsigned int n) const override
	{
		return inner->area(n + 1) + 1;
	}
};

OUTLINE static void library(unsigned int n)
{
	std::unique_ptr<Shape> shape = std::make_unique<Round>();
	std::map<std::string, double> areas;
	std::ostringstream out;

	for (unsigned int i = 0; i < n % 20; i++)
		shape = std::make_unique<Nested>(std::move(shape));
	std::function<double(unsigned int)> area = [&](unsigned int k) { return shape->area(k); };
	for (unsigned int i = 0; i < 20; i++)
		areas["area " + std::to_string(i * n)] += area(n + i);
	for (const auto &entry : areas)
		out << entry.first << '=' << entry.second << '\n';
	sink = sink + out.str().size();
}

OUTLINE static void handle_inner(unsigned int n)
{
	churn(n % 2000);
	if (n % 3 == 0)
		pause_us(200);
}

static void on_alarm(int)
{
	int saved = errno;

	handle_inner((unsigned int)sink);
	errno = saved;
}

template <void (*work)(unsigned int)> static void *kind(void *)
{
	std::vector<char> other(1 << 17);
	stack_t alternate = {};
	unsigned int n = 1;

	alternate.ss_sp = other.data();
	alternate.ss_size = other.size();
	sigaltstack(&alternate, nullptr);
	for (;;) {
		n = n * 1103515245 + 12345;
		work(n >> 8);
		some(n >> 16);
	}
	return nullptr;
}

static void do_alloca(unsigned int n)
{
	sink = sink + on_heap_of_stack(n, n % 40);
}
static void do_aligned(unsigned int n)
{
	sink = sink + (uint64_t)aligned_of_any_size(n, n % 10);
}
static void do_throw(unsigned int n)
{
	sink = sink + catcher(n);
}
static void do_recursion(unsigned int n)
{
	sink = sink + recursive(n % 90);
}
static void do_regex(unsigned int n)
{
	sink = sink + matches(n);
}
static void do_sort(unsigned int n)
{
	sorts(n);
}
static void do_library(unsigned int n)
{
	library(n);
}

int main()
{
	void *(*const kinds[])(void *) = { kind<do_alloca>,    kind<do_aligned>, kind<do_throw>,
					   kind<do_recursion>, kind<do_regex>,	 kind<do_sort>,
					   kind<do_library> };
	struct sigaction act = {};
	struct itimerval each = { { 0, 3000 }, { 0, 3000 } };
	pthread_t t;

	act.sa_handler = on_alarm;
	act.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGALRM, &act, nullptr);
	for (auto *start : kinds) {
		if (pthread_create(&t, nullptr, start, nullptr))
			return 1;
	}
	setitimer(ITIMER_REAL, &each, nullptr);
	for (;;)
		kind<do_throw>(nullptr);
}

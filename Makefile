# Two commands do everything on a fresh Debian 12: `make run` and `make test`.
# The work is Meson's; this file only finds it.

BUILD   = build/release
ORIGO   = $(BUILD)/cli/origo
PREFIX ?= /usr/local
SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help run build tidy test test-quick test-crash test-soak extension \
    cluster test-cluster test-servers \
    test-python-asan test-engines test-wheel test-packages test-arm64 test-s390x fuzz install \
    uninstall wheel deb static release format clean

help:
	@echo 'make run         build, then trace the documents of sample/'
	@echo 'make test        every test, under gcc, clang and the sanitizers'
	@echo 'make test-quick  the tests of the release build alone'
	@echo 'make test-crash  kills, power losses, failing disks, flipped bytes: all'
	@echo 'make cluster     three masters and three replicas of Redis with the module'
	@echo 'make test-cluster  a cluster of its own: slots move, a master is killed'
	@echo 'make test-servers  the module on Valkey and on a Redis that defragments'
	@echo 'make test-python-asan  the Python suite with sanitizers'
	@echo 'make test-engines  Spark 3 and 4, Ray, datatrove, datasets; ENGINES=spark4'
	@echo 'make test-wheel  the wheel in every version of Python that is here'
	@echo 'make test-soak   a million documents of one kind: time, memory, slope'
	@echo 'make fuzz        every fuzz target for SECONDS=$(SECONDS) each; INTO=FILE adds up'
	@echo 'make build       the library and the command, in $(BUILD)'
	@echo 'make install     to PREFIX=$(PREFIX), below DESTDIR when given'
	@echo 'make wheel       the Python package with its libraries inside'
	@echo 'make deb         Debian packages, in build/deb'
	@echo 'make extension   the browser companion for Chromium and Firefox, in build/extension'
	@echo 'make static      a tarball for any x86-64 Linux, in build/static'
	@echo 'make release     VERSION=x.y.z: version, tests, files, tag (docs/release.md)'
	@echo 'make test-packages  builds all packages and tries them in clean roots'
	@echo 'make test-arm64  the tests of arm64, under qemu'
	@echo 'make test-s390x  formats and stores on s390x, which is big-endian'
	@echo 'make uninstall   what make install wrote'
	@echo 'make tidy        clang-tidy with its slow checks, on lib and cli'
	@echo 'make format      clang-format on every C file'
	@echo 'make bench       speed of every stage; see bench/bench.mk'
	@echo 'make bench-hamming  neighbours of codes, every design'
	@echo 'make quality-origin  the tables of docs/evaluation.md, from DATA'
	@echo 'make plots       the plots of docs/evaluation.md'
	@echo 'make bench-kernels  instructions of the kernels, arm64 and x86-64'
	@echo 'make bench-sketch   simhash and min-hash kernels, with peers'
	@echo 'make quality-near   sketches against exact similarity, from DATA'
	@echo 'make quality-html   text, titles and days of pages, from DATA'
	@echo 'make bench-sources  speed of every reader'
	@echo 'make bench-files    cut points, similar files, deltas, exchanges'
	@echo 'make quality-pan13  passages of a PAN corpus, PAN13=DIR'
	@echo 'make quality-scripts  planted copies in four scripts, from DATA'
	@echo 'make bench-align   milliseconds of a comparison'
	@echo 'make quality-spans  every span read again from both texts, from DATA'
	@echo 'make quality-planted  rare copies of old texts, from DATA'
	@echo 'make quality-late   documents that arrive in another order, from DATA'
	@echo 'make bench-store    a store on disk: adding, asking, opening'
	@echo 'make bench-trace    answers, compared with texts and not'
	@echo 'make bench-report   reports of many documents in a browser'
	@echo 'make bench-dedup  deduplication beside its peers, from DATA'
	@echo 'make bench-python  the Python package beside its peers, from DATA'
	@echo 'make bench-spark  jobs on Spark beside its own and the command, from DATA'
	@echo 'make bench-cluster  CPU and bytes of a fingerprint in Redis, beside plain keys'
	@echo 'make bench-decontaminate  planted benchmark items in 2 GB, from DATA'
	@echo 'make clean       removes build/'

run: build
	@$(ORIGO) trace -q -s :memory: --format text --color always \
	    sample/documents.jsonl
	@$(ORIGO) trace -s :memory: -o build/report.html sample/documents.jsonl

build:
	@tools/setup build
	@tools/configure release
	@ninja -C $(BUILD)

test:
	@tools/setup build test spark
	@tools/test_all

test-quick:
	@tools/setup build test
	@tools/test_all --quick

test-crash:
	@tools/setup build test
	@tools/configure release -Dtests=enabled
	@ninja -C $(BUILD)
	@tests/crash/test_crash.py $(BUILD) --all

test-soak:
	@tools/setup build test
	@tools/configure release -Dtests=enabled
	@ninja -C $(BUILD) cli/origo
	@tests/soak.py $(ORIGO) --into docs/benchmarks.md
	@tests/cli/test_appends.py $(ORIGO) --soak

# On the ports from PORT on, in build/cluster.
PORT ?= 7100
cluster: build
	@tools/setup test
	@tools/run_cluster.py $(BUILD)/redis/origo.so --port $(PORT)

test-cluster: build
	@tools/setup test
	@tests/redis/test_redis_cluster.py $(BUILD)/redis/origo.so --all

test-servers: build
	@tools/setup test python
	@tests/redis/other_servers $(BUILD)

test-python-asan:
	@tools/setup build test python
	@tools/configure release
	@tests/python/run $(BUILD) --asan

test-engines:
	@tools/setup build test python spark
	@tools/configure release
	@ninja -C $(BUILD) cli/origo
	@tests/engines/run $(BUILD) $(ENGINES) || [ $$? = 77 ]

test-wheel: wheel
	@tests/python/versions build/wheel/*.whl

fuzz:
	@tools/setup build test
	@tools/fuzz $(if $(INTO),--into $(INTO)) $(SECONDS)

install:
	@tools/setup build
	@CC=gcc tools/install_tree '$(PREFIX)'

wheel:
	@tools/setup build python
	@tools/wheel

deb:
	@tools/setup build deb
	@tools/deb

extension:
	@tools/pack_extension.py build/extension

static:
	@tools/setup build static
	@tools/static

test-packages:
	@tools/setup build python static deb
	@tests/packages/run

test-arm64 test-s390x:
	@tools/setup build cross
	@tests/emulated/run $(@:test-%=%) || [ $$? = 77 ]

release:
	@tools/setup build test python static deb
	@tools/release '$(VERSION)'

uninstall:
	@tools/install_tree --remove

tidy:
	@tools/setup build test
	@tools/configure asan-clang
	@ninja -C build/asan-clang
	@clang-tidy --quiet -p build/asan-clang $$(find lib cli eval -name "*.c")

format:
	@tools/setup test
	@tools/list_files c | xargs clang-format -i

clean:
	rm -rf build

include bench/bench.mk

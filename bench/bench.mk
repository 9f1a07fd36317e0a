# Benchmarks. Each says its question when it runs. DATA is a folder of real
# text: rfc.jsonl.zst and mail.jsonl.zst, documents in time order. What a run
# prints is kept in bench/results/, so that a change shows as a diff.

DATA  ?= ../shared/data
BENCH ?= $(DATA)/rfc.jsonl.zst

.PHONY: bench-chunks bench bench-stages quality-origin check-origin plots

bench: bench-stages

# How fast is each arrow of the flow, and how near to what the machine can do?
bench-stages: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_stages
	@bench/keep bench/results/stages.txt \
	    $(BUILD)/bench/bench_stages $(BENCH_FLAGS) $(BENCH)
	@if grep -q avx512vbmi2 /proc/cpuinfo; then \
	    bench/keep bench/results/stages-avx2.txt \
	        $(BUILD)/bench/bench_stages $(BENCH_FLAGS) --cpu avx2 $(BENCH); \
	fi

# How well is the origin found, with how little memory, and by which means?
# Says whether origo's own combination is still the best, in 40 seconds of CPU
# time. WHOLE=1 runs every combination, 20 minutes for each stream, and writes
# the tables of docs/evaluation.md.
quality-origin: build
	@tools/setup bench
ifneq ($(WHOLE),1)
	@for stream in mail rfc; do \
	    bench/quality_origin $(ORIGO) $(DATA)/$$stream.jsonl.zst default \
	        >$(BUILD)/default-$$stream.tsv || exit 1; \
	done
	@bench/check_origin.py --default $(BUILD)
else
	@for stream in mail rfc; do \
	    bench/quality_origin $(ORIGO) $(DATA)/$$stream.jsonl.zst \
	        >$(BUILD)/origin-$$stream.tsv && \
	    $(ORIGO) eval origin --paper $(DATA)/$$stream.jsonl.zst \
	        >$(BUILD)/paper-$$stream.md && \
	    cp $(BUILD)/origin-$$stream.tsv $(BUILD)/paper-$$stream.md \
	        bench/results || exit 1; \
	done
	@$(MAKE) --no-print-directory check-origin
endif

# The claims and the page from what was measured before.
check-origin:
	@bench/check_origin.py --page docs/evaluation.md bench/results

plots:
	@tools/setup bench
	@bench/plot_eval bench/results docs/plots

# How long does it take to find all codes within 3 bits, in how many bytes, by
# each design? Half an hour, and 22 GB for 100 M codes; designs that need more
# than what is free are left out by name. BENCH_FLAGS='--memory 7.9e9' sets another
# limit, '--sizes 1e6,1e7' other numbers of codes. Real simhashes are those of DATA.
.PHONY: bench-hamming
bench-hamming: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_hamming
	@$(ORIGO) simhash $(DATA)/mail.jsonl.zst >$(BUILD)/simhashes.tsv
	@bench/keep bench/results/hamming.txt \
	    $(BUILD)/bench/bench_hamming $(BENCH_FLAGS) $(BUILD)/simhashes.tsv

# How fast are the kernels of sketches, beside their floors and peers?
.PHONY: bench-sketch
bench-sketch: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_sketch bench/bench_minhash
	@bench/keep bench/results/simhash.txt \
	    bench/compare_simhash $(BUILD) $(BENCH)
	@rm -f $(BUILD)/minhash.txt
	@for stream in $(BENCH) $(DATA)/mail.jsonl.zst; do \
	    bench/keep -a $(BUILD)/minhash.txt \
	        bench/compare_minhash $(BUILD) $$stream || exit 1; \
	done
	@cp $(BUILD)/minhash.txt bench/results/minhash.txt

# How well do sketches find near-duplicates, against exact similarity, and are
# the estimators what theory says? Writes the tables of docs/evaluation.md.
.PHONY: quality-near
quality-near: build
	@for stream in pep-history rfc; do \
	    $(ORIGO) eval near --paper --points $(BUILD)/near-$$stream.tsv \
	        $(DATA)/$$stream.jsonl.zst >$(BUILD)/near-$$stream.md && \
	    cp $(BUILD)/near-$$stream.md $(BUILD)/near-$$stream.tsv \
	        bench/results || exit 1; \
	done
	@$(ORIGO) eval near --paper >$(BUILD)/near-estimators.md
	@cp $(BUILD)/near-estimators.md bench/results
	@bench/insert_results docs/evaluation.md bench/results \
	    near-estimators near-pep-history near-rfc
	@bench/plot_quote bench/results docs/plots

# How fast are files cut, and how few chunks does an edit change? Part 1 of
# bench-files; needs 3 GiB of memory.
bench-chunks: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_chunks
	@bench/keep bench/results/files-chunks.txt \
	    $(BUILD)/bench/bench_chunks $(BENCH_FLAGS)
.PHONY: bench-files
bench-files: bench-chunks

# How many bytes do deltas and the exchange take, beside rsync, zstd, casync and
# borg, and are similar files found? The second half of bench-files.
.PHONY: bench-files-sync
bench-files-sync: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_similar
	@TMPDIR=/dev/shm bench/keep bench/results/files-sync.txt \
	    bench/bench_sync.py $(ORIGO) $(BUILD)/bench/bench_similar \
	    $(DATA)/pep-history.jsonl.zst
bench-files: bench-files-sync

# How well are the main text, the title and the day of a page found? Articles
# with their true texts are in html.tar.zst, pages of all kinds in
# web-pages.tar.zst. The last lines are of trees that did not know the pages.
.PHONY: quality-html train-html bench-sources html-pages
PEERS_HTML = $(BUILD)/peers-html
ARTICLES   = $(BUILD)/html/html/scrapinghub
PAGES      = $(BUILD)/html/web-pages
html-pages:
	@mkdir -p $(BUILD)/html
	@for set in html web-pages; do zstd -dc --long=27 $(DATA)/$$set.tar.zst | \
	    tar x -C $(BUILD)/html || exit 1; done

html-programs: build html-pages
	@ninja -C $(BUILD) bench/dump_documents bench/dump_blocks
	@bench/setup_peers $(PEERS_HTML) trafilatura readability-lxml justext \
	    resiliparse scikit-learn

quality-html: html-programs
	@{ bench/quality_html.py $(BUILD)/bench/dump_documents $(ARTICLES) \
	    $(PAGES) $(PEERS_HTML)/bin/python && \
	    if $(PEERS_HTML)/bin/python -c 'import sklearn' 2>/dev/null; then \
	    $(PEERS_HTML)/bin/python bench/train_html.py \
	    $(BUILD)/bench/dump_blocks $(ARTICLES) $(PAGES); else \
	    echo 'SKIPPED: cross-validation, no scikit-learn'; fi; } \
	    >$(BUILD)/html.txt && cat $(BUILD)/html.txt && \
	    cp $(BUILD)/html.txt bench/results/html.txt

# Trains the trees of page_trees.c anew, from the same pages.
train-html: html-programs
	@$(PEERS_HTML)/bin/python bench/train_html.py $(BUILD)/bench/dump_blocks \
	    $(ARTICLES) $(PAGES) lib/source/web/page_trees.c

# How fast is each reader, beside its library alone and beside memcpy?
bench-sources: build html-pages
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_sources
	@bench/keep bench/results/sources.txt \
	    $(BUILD)/bench/bench_sources $(BENCH_FLAGS) $(BENCH) \
	    $(BUILD)/html/html/scrapinghub/html/*.html.gz

# How well are passages found that were copied, shuffled, translated or summed
# up? PAN13 is a corpus folder (or its .tar.zst), PAN13_OUT gets the XML.
PAN13     ?= $(DATA)/pan13-train.tar.zst
PAN13_OUT ?= $(BUILD)/pan13
.PHONY: quality-pan13
quality-pan13: build
	@tools/setup bench
	@bench/keep bench/results/pan13.txt \
	    bench/quality_pan13 $(ORIGO) $(PAN13) $(PAN13_OUT) \
	    $(DATA)/../tools/plagdet.py

# Are copies that were planted into Thai, Chinese, Arabic and Hindi texts found
# to the character? Are marks, letter forms and charsets seen through?
.PHONY: quality-scripts
quality-scripts: build
	@bench/keep bench/results/scripts.txt bench/quality_scripts $(ORIGO) $(DATA)

# How long does a comparison take, and a verification from seeds?
.PHONY: bench-align
bench-align: build
	@ninja -C $(BUILD) bench/bench_align
	@bench/keep bench/results/align.txt $(BUILD)/bench/bench_align

# Does the order of arrival matter, when every document says its time? Must not,
# with room for everything; by how much at 3 % memory is printed.
.PHONY: quality-late
quality-late: build
	@bench/keep $(BUILD)/late-rfc.txt \
	    bench/late_order.py $(ORIGO) $(DATA)/rfc.jsonl.zst
	@! grep -q 'answers differ' $(BUILD)/late-rfc.txt
	@cp $(BUILD)/late-rfc.txt bench/results/late-rfc.txt

# Is every span true? Reads all of them again from both texts, with a tokeniser
# and an index of its own. Fails when a verified span is not in its origin.
.PHONY: quality-spans
quality-spans: build
	@tools/setup bench
	@for stream in "mail -n 20000" "rfc -n 2500"; do set -- $$stream; \
	    bench/keep bench/results/spans-$$1.txt \
	        bench/quality_spans.py $(ORIGO) $(DATA)/$$1.jsonl.zst $$2 $$3 || \
	        exit 1; done

# How much of rare copies of old texts is found when the table is small, in
# streams into which they were planted, from several seeds?
.PHONY: quality-planted
quality-planted: build
	@for layout in packed paper; do \
	    bench/quality_planted.py $(ORIGO) $(DATA)/mail.jsonl.zst \
	        --layout $$layout || exit 1; \
	done >$(BUILD)/planted.tsv
	@cp $(BUILD)/planted.tsv bench/results/planted.tsv
	@cat bench/results/planted.tsv

# What do texts add to the labels when the table is small: the measures of
# origin at 1 % of the memory, without and with verification.
.PHONY: quality-verify
quality-verify: build
	@rm -f $(BUILD)/verify.tsv
	@for stream in mail rfc; do \
	    for verify in '' --verify; do \
	        $(ORIGO) eval origin -q $$verify --select SHs --evict learn \
	            --estimate CX --memory 1% --layout packed \
	            $(DATA)/$$stream.jsonl.zst >$(BUILD)/verify-one.tsv || exit 1; \
	        sed "s/^/$$stream\t/" $(BUILD)/verify-one.tsv \
	            >>$(BUILD)/verify.tsv; \
	    done; \
	done
	@bench/keep bench/results/verify.tsv awk '$$1 == "rfc" && $$2 == "select" \
	    { next } $$2 == "select" && seen++ { next } { print }' \
	    $(BUILD)/verify.tsv

# How are reused sentences found: the qSign paper's tables and figures, on mail
# (a million sentences), Reuters and five translations of the Bible.
.PHONY: quality-quote
quality-quote: build
	@tools/setup bench
	@rm -rf $(BUILD)/corpora
	@for corpus in reuters bible; do \
	    mkdir -p $(BUILD)/corpora/$$corpus && \
	    zstd -dc --long=27 $(DATA)/$$corpus.tar.zst | \
	        tar x -C $(BUILD)/corpora/$$corpus || exit 1; \
	    bench/corpus_jsonl.py $$corpus $(BUILD)/corpora/$$corpus \
	        $(BUILD)/corpora/$$corpus || exit 1; \
	done
	@$(ORIGO) eval quote --paper --stop en --sentences 1100k --questions 500 \
	    --points $(BUILD)/quote-mail.tsv $(DATA)/mail.jsonl.zst \
	    >$(BUILD)/quote-mail.md
	@$(ORIGO) eval quote --paper --stop en --questions 500 \
	    --points $(BUILD)/quote-reuters.tsv $(BUILD)/corpora/reuters.jsonl \
	    >$(BUILD)/quote-reuters.md
	@$(ORIGO) eval quote --aligned $(BUILD)/corpora/bible-*.jsonl \
	    >$(BUILD)/quote-bible.md
	@cp $(BUILD)/quote-mail.tsv $(BUILD)/quote-mail.md \
	    $(BUILD)/quote-reuters.tsv $(BUILD)/quote-reuters.md \
	    $(BUILD)/quote-bible.md bench/results
	@bench/judge_quote.py bench/results >$(BUILD)/quote-claims.md
	@cp $(BUILD)/quote-claims.md bench/results
	@bench/quality_recall.py $(ORIGO) $(DATA)/mail.jsonl.zst \
	    >$(BUILD)/quote-recall.txt
	@cp $(BUILD)/quote-recall.txt bench/results
	@bench/insert_results --as-is docs/evaluation.md bench/results \
	    quote-claims quote-mail quote-reuters quote-bible
	@bench/plot_quote bench/results docs/plots

# How fast, how exact and in how little memory is dedup, beside its peers? Peers
# come from PyPI; what cannot be had is named. Half an hour, 8 GB of disk; writes
# the tables of docs/benchmarks.md. QUICK=1 shows in three minutes that it works.
.PHONY: bench-dedup
bench-dedup: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/bench_pairs
	@bench/setup_peers $(BUILD)/peers-dedup datasketch rensa fastsketchlsh \
	    gaoya 'datatrove[io,processing]' spacy text-dedup
	@bench/bench_dedup.py $(if $(QUICK),--quick) $(BENCH_FLAGS) $(BUILD) \
	    $(DATA) >$(BUILD)/dedup.md; \
	    status=$$?; cat $(BUILD)/dedup.md; exit $$status
	@$(if $(QUICK),true,cp $(BUILD)/dedup.md bench/results/dedup.md)
	@$(if $(QUICK),true,bench/insert_results docs/benchmarks.md \
	    bench/results dedup)

# How fast and how small is a store on disk? STORE_WORK is a folder on the disk
# that is meant, 3 GB. QUICK=1 shows in a minute that it works, on an extract.
STORE_WORK ?= $(BUILD)/bench-store
.PHONY: bench-store
bench-store: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/ask_store
	@bench/bench_store.py $(ORIGO) $(BUILD)/bench/ask_store $(DATA) \
	    $(STORE_WORK) $(if $(QUICK),--quick) >$(BUILD)/store.txt; \
	    status=$$?; cat $(BUILD)/store.txt; exit $$status
	@$(if $(QUICK),true,cp $(BUILD)/store.txt bench/results/store.txt)

# CPU of each stage on 1, 2, 4 and 8 threads, what the busiest thread has, what is
# done in order; the same bytes on any number; which aims were met. Some ten minutes
# on two idle cores; what there is no time for after 12 is named. QUICK=1 takes the
# first 5 MB. Writes bench/results/cores.txt and the table of docs/scale.md, and
# prints at the end which figures in the sentences of that document follow from it.
CORES_WORK ?= $(BUILD)/bench-cores
.PHONY: bench-cores
bench-cores: build
	@bench/bench_cores.py $(ORIGO) $(DATA) $(CORES_WORK) \
	    $(if $(QUICK),--mb 5) --table $(BUILD)/cores.md >$(BUILD)/cores.txt; \
	    status=$$?; cat $(BUILD)/cores.txt; exit $$status
	@$(if $(QUICK),true,cp $(BUILD)/cores.txt bench/results/cores.txt && \
	    bench/insert_results --as-is docs/scale.md $(BUILD) cores)

# What does it cost to compare every passage with the text of its origin? MB of
# a stream in a CPU second, verified and not. Some ten seconds on an idle machine.
.PHONY: bench-trace
bench-trace: build
	@bench/keep bench/results/trace.txt \
	    bench/bench_trace.py $(ORIGO) $(DATA) $(BUILD)/bench-trace $(BENCH_FLAGS)

# The Python package beside the command, datasketch, rensa, text-dedup and
# datatrove: CPU, size, precision and recall, single calls. Builds into an
# environment of its own; ends within 20 minutes of measuring, and names what
# they had no room for (BENCH_FLAGS='--minutes 60'). QUICK=1 shows in five
# minutes that it works.
PYTHON_BENCH = $(BUILD)/python-bench
.PHONY: bench-python bench-decontaminate python-bench
python-bench: build
	@tools/setup bench python
	@ninja -C $(BUILD) bench/bench_pairs bench/ask_store
	@bench/setup_peers $(PYTHON_BENCH) pyarrow datasketch rensa \
	    text-dedup 'datatrove[io,processing]' spacy \
	    'meson-python>=0.16' 'meson>=1.3' ninja
	@PATH=$(CURDIR)/$(PYTHON_BENCH)/bin:$$PATH \
	    $(PYTHON_BENCH)/bin/pip install -q --no-deps \
	    --no-build-isolation --force-reinstall \
	    --config-settings=builddir=$(PYTHON_BENCH)/build .

bench-python: python-bench
	@$(PYTHON_BENCH)/bin/python bench/bench_python.py $(if $(QUICK),--quick) \
	    $(BENCH_FLAGS) $(BUILD) $(DATA) >$(BUILD)/python.md; \
	    status=$$?; cat $(BUILD)/python.md; exit $$status
	@$(if $(QUICK),true,cp $(BUILD)/python.md bench/results/python.md)
	@$(if $(QUICK),true,bench/insert_results docs/benchmarks.md \
	    bench/results python)

# Are 10,000 benchmark items found that were planted into a mix of 2 GB, as they
# are, re-punctuated, with words changed, in parts? Beside n-grams of 8 and 13.
# A quarter of an hour, 5 GB of disk. QUICK=1: 40 MB and 500 items.
bench-decontaminate: python-bench
	@$(PYTHON_BENCH)/bin/python bench/bench_decontaminate.py \
	    $(if $(QUICK),--size 40e6 --items 500) $(BENCH_FLAGS) $(BUILD) \
	    $(DATA) >$(BUILD)/decontaminate.md; \
	    status=$$?; cat $(BUILD)/decontaminate.md; exit $$status
	@$(if $(QUICK),true,cp $(BUILD)/decontaminate.md bench/results)
	@$(if $(QUICK),true,bench/insert_results docs/benchmarks.md \
	    bench/results decontaminate)

# Jobs on Spark: what the engine takes beside the work, and how it grows. A cluster
# of two workers; hours on two cores. BENCH_FLAGS='--documents 10000' for a first
# look, '--jobs dedup' for one of them: rows of bench/results/spark.tsv are
# replaced one by one.
.PHONY: bench-spark spark-tables
bench-spark: build
	@tools/setup bench python spark
	@tests/engines/run $(BUILD) --environment spark
	@$(BUILD)/engines/spark/bin/python bench/bench_spark.py $(BUILD) $(DATA) \
	    bench/results/spark.tsv $(BENCH_FLAGS)
	@$(MAKE) --no-print-directory spark-tables

# The pages, from what was measured: docs/spark.md, and the model of a cluster in
# docs/scale.md.
spark-tables:
	@mkdir -p $(BUILD)/spark-tables
	@bench/spark_tables.py bench/results/spark.tsv $(BUILD)/spark-tables
	@bench/insert_results --as-is docs/spark.md $(BUILD)/spark-tables spark
	@bench/insert_results --as-is docs/scale.md $(BUILD)/spark-tables cluster

# How long does a report of many documents take to open in a browser?
.PHONY: bench-report
bench-report: build
	@ninja -C $(BUILD) tests/web/web_fixture tests/web/sentences_fixture
	@[ -d $(BUILD)/web/node_modules ] || tests/web/run $(BUILD) >/dev/null
	@bench/bench_report.py $(BUILD)

# How many documents a second does the server trace, and how long do they wait,
# alone, while documents come, and with 10,000 idle connections? Two minutes.
# BENCH_FLAGS=--quick to see that it works. SOAK_SECONDS=1800 adds the half hour of
# soak-server, with memory over time.
.PHONY: bench-server
bench-server: build
	@tools/setup bench
	@ninja -C $(BUILD) bench/echo_http
	@bench/keep $(BUILD)/server.txt \
	    bench/bench_server.py $(BENCH_FLAGS) $(ORIGO) $(BUILD)/bench/echo_http \
	    $(DATA) $(BUILD)/server-bench
	@[ -z "$(SOAK_SECONDS)" ] || SOAK_SECONDS=$(SOAK_SECONDS) \
	    bench/keep -a $(BUILD)/server.txt \
	    tests/server/test_server_durability.py $(ORIGO) test_soak
	@case '$(BENCH_FLAGS)' in *quick*) ;; *) \
	    cp $(BUILD)/server.txt bench/results/server.txt ;; esac

# Half an hour of mixed load, then kill -9: memory is printed, and nothing that
# was acknowledged may be missing.
.PHONY: soak-server
soak-server: build
	@SOAK_SECONDS=$${SOAK_SECONDS:-1800} \
	    tests/server/test_server_durability.py $(ORIGO) test_soak

# How many instructions do the kernels take on arm64 and on x86-64?
.PHONY: bench-kernels
bench-kernels: build
	@tools/setup cross
	@tools/cross arm64 -Dbench=true -Doptimization=3
	@ninja -C $(BUILD) bench/bench_kernels
	@ninja -C build/arm64 bench/bench_kernels
	@bench/keep bench/results/kernels.txt \
	    bench/count_kernels $(BUILD) build/arm64

# What does a fingerprint cost a server of Redis, in CPU and bytes, in batches of
# 1, 3, 16 and 170, beside a plain key? How many documents a second do 1, 2 and 4
# front ends add, and are the answers to all mails those of a local store?
.PHONY: bench-cluster
bench-cluster: build
	@tools/setup test
	@bench/keep $(BUILD)/cluster.txt \
	    bench/bench_cluster.py $(BUILD)/redis/origo.so $(BENCH_FLAGS)
	@echo >>$(BUILD)/cluster.txt
	@bench/keep -a $(BUILD)/cluster.txt \
	    bench/bench_front_ends.py $(BUILD)/redis/origo.so $(ORIGO) \
	    $(DATA)/mail.jsonl.zst
	@cp $(BUILD)/cluster.txt bench/results/cluster.txt

# What would a day of the web take on a cluster, and what happens when something
# fails? From bench/results/cluster.txt into docs/scale.md.
.PHONY: simulate-web
simulate-web:
	@mkdir -p $(BUILD)/simulate-web
	@bench/simulate_web.py >$(BUILD)/simulate-web/web.md
	@bench/insert_results --as-is docs/scale.md $(BUILD)/simulate-web web
